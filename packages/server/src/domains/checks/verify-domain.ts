import { nextDomainState } from '@masthead/contract/domains/states.ts'
import { requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { isOwnServed } from '../../certificates/own/own-certificates.ts'
import type { EventActor } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing, noSuchDomain } from '../domain.ts'
import { certificateAccount } from '../https/certificate-need.ts'
import { lockHostname } from '../locks.ts'
import { findStartedProof } from '../proofs/account-proving.ts'
import { verifyProof } from '../proofs/verify-proof.ts'
import { nextCheckAt } from '../schedule.ts'
import { findDomain, findDomainById, updateDomain } from '../store.ts'
import { recordTransition } from '../timeline/record-transition.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { checkDomain } from './check-domain.ts'

export interface VerifyInput {
  project: ProjectRow
  hostname: string
  by: EventActor
}

/** Each change of other accounts' claims can require another check. */
const maxChecks = 3

/** Checks DNS now. If automatic checks had ended, they start again. */
export async function verifyDomain(context: DomainContext, input: VerifyInput): Promise<DomainRow> {
  let row = await recordRequest(context, input)
  await checkProofOf(context, row, input.by)
  for (let checks = 1; checks <= maxChecks; checks++) {
    const applied = await checkDomain(context, row, { by: input.by })
    if (applied.kind === 'applied' || applied.kind === 'dropped') return applied.row
    const current = await findDomainById(context.database.read, row.id)
    if (current === undefined) throw noSuchDomain(input.project, input.hostname)
    row = current
  }
  return row
}

/** A wildcard needs the proof of the whole domain, whose record was probably set with the others. */
async function checkProofOf(
  context: DomainContext,
  { kind, account_id: accountId, hostname }: DomainRow,
  by: EventActor,
): Promise<void> {
  if (kind !== 'wildcard') return
  const proof = await findStartedProof(context.database.read, accountId, hostname)
  if (proof?.stands === 0) await verifyProof(context, { accountId, by, domain: proof.domain })
}

/**
 * Checks DNS now and, if the domain is served, also requests a new certificate, even if the current one is not due: it
 * may have been revoked. One that was uploaded is only tested again.
 */
export async function reverifyDomain(context: DomainContext, input: VerifyInput): Promise<DomainRow> {
  const { id, hostname } = await verifyDomain(context, input)
  const { database, now } = context
  return database.write(async (tx) => {
    await lockHostname(database, tx, hostname)
    const row = await findDomainById(tx, id)
    if (row === undefined) throw noSuchDomain(input.project, hostname)
    if (!isServing(row)) return row
    const at = now()
    if (!(await isOwnServed(tx, { name: hostname, at }))) {
      await recordTimeline(tx, { domain: row, kind: 'certificate_asked', at, by: input.by })
    }
    const account = certificateAccount(row)
    await requestCertificate(context, tx, { name: hostname, reason: 'asked', at, account })
    return row
  })
}

/** Stores the request before the check, so that automatic checks restart even if this process dies. */
function recordRequest(
  { database, now }: DomainContext,
  { project, hostname, by }: VerifyInput,
): Promise<DomainRow> {
  return database.write(async (tx) => {
    await lockHostname(database, tx, hostname)
    const row = await findDomain(tx, project.id, hostname)
    if (row === undefined) throw noSuchDomain(project, hostname)
    if (row.state === 'suspended') {
      throw new Problem(
        'domain_suspended',
        `${hostname} is suspended: the plan does not include custom domains.`,
      )
    }
    const at = now()
    const state = nextDomainState(row.state, 'asked_again')
    const restarted = { state, state_since: at, searching_since: at, asked_at: at }
    const next = { next_check_at: nextCheckAt(restarted, 'wrong', at, Math.random()) }
    const change = state === row.state ? { asked_at: at } : { ...restarted, ...next }
    const after = await updateDomain(tx, row.id, change)
    if (after === undefined) throw noSuchDomain(project, hostname)
    await recordTransition(tx, row.state, after, { by, at })
    return after
  })
}

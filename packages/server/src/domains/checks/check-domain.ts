import { type DomainKind, domainStates } from '@masthead/contract/domains/states.ts'
import type { DomainCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { ValidationMethods } from '../../certificates/caa/caa.ts'
import { validationMethods } from '../../certificates/orders/challenge-types.ts'
import { findOwnCertificates } from '../../certificates/own/own-certificates.ts'
import type { EventActor } from '../../events/record-event.ts'
import { readProject } from '../../projects/read.ts'
import { findProofRequirement, findSiblingTargets } from '../claims/ownership.ts'
import type { DomainContext } from '../context.ts'
import { withCertificateRecord } from '../dns-check/certificate-record.ts'
import { type CheckContext, checkDns } from '../dns-check/check-dns.ts'
import { type DomainRow, delegationStatus, isDelegable, isDelegationNeeded } from '../domain.ts'
import { type Hostname, readHostname } from '../hostname.ts'
import { delegationOf, findDelegation } from '../https/delegations.ts'
import type { Lease } from '../lease-store.ts'
import { findCoverage } from '../proofs/coverage.ts'
import { type Coverage, certificateRecord, type ProofRequirement } from '../records.ts'
import { findDomainOfAccount } from '../store.ts'
import { type Applied, applyCheck, type CheckToApply } from './apply-check.ts'

/** Checks the DNS of a domain and applies the result. */
export async function checkDomain(
  context: DomainContext,
  row: DomainRow,
  { by, lease = null, signal }: { by: EventActor; lease?: Lease | null; signal?: AbortSignal | undefined },
): Promise<Applied> {
  return applyCheck(context, { domain: row, ...(await lookUp(context, row, signal)), by, lease })
}

/** Checks the DNS of a domain against its records. */
async function lookUp(
  context: CheckContext,
  row: DomainRow,
  signal?: AbortSignal,
): Promise<Pick<CheckToApply, 'result' | 'proof'> & { coverage: Coverage | null }> {
  const { database, naming, now } = context
  const coverage = await findCoverage(database.read, row)
  const proof = await findProofRequirement(database.read, row, { naming, now: now(), coverage })
  const { hostname, kind, target } = row
  const own = (await findOwnCertificates(database.read, [row.id])).get(row.id) ?? null
  const isNeeded = isDelegationNeeded(row, naming, own)
  const proxy = proxyRequirement(row, context)
  const findMethods = async (stopping: AbortSignal) =>
    validationMethods(await delegationOf(context, row, naming, stopping))
  const [checked, seen] = await Promise.all([
    checkDns(context, { hostname, kind, target, proof, coverage, proxy, findMethods }, signal),
    isNeeded || isDelegable(row, naming) ? findDelegation(context, row, naming, signal) : undefined,
  ])
  const delegated =
    seen === undefined ? checked : { ...checked, delegation: seen.outcome, challengeRecords: seen.seen }
  const result = isNeeded
    ? withCertificateRecord(
        delegated,
        certificateRecord(row, naming, {
          zone: checked.check.zone,
          label: seen?.label ?? null,
          ...delegationStatus(seen?.outcome, seen?.seen),
        }),
        hostname,
      )
    : delegated
  return { result, proof, coverage }
}

function proxyRequirement(
  { proxy: provider, state, account_id: account }: DomainRow,
  { routes }: CheckContext,
) {
  if (provider === null) return null
  const redirects = routes?.redirectsToHttps === true && domainStates[state].served === 'yes'
  return { provider, redirects, account }
}

/** Checks a name, before the account adds it or against the records of the domain it has. Nothing is saved. */
export async function checkName(
  context: CheckContext,
  accountId: Id<'account'>,
  typed: string,
): Promise<DomainCheck> {
  const name = readHostname(typed, context.naming)
  const { hostname, unicode, kind } = name
  const own = await findDomainOfAccount(context.database.read, accountId, hostname)
  if (own !== undefined) {
    const { result } = await lookUp(context, own)
    const { slug } = await readProject(context, accountId, own.project_id)
    return { ...result.check, hostname, unicode, kind, project: slug }
  }
  const coverage = await findCoverage(context.database.read, { account_id: accountId, hostname, held: 0 })
  const proof = coverage?.by === 'own' ? null : await proofBeforeAdding(context, accountId, name)
  const findMethods = async () => methodsBeforeAdding(kind, context.naming)
  const wanted = { hostname, kind, target: null, proof, coverage, findMethods }
  const { check } = await checkDns(context, wanted)
  return { ...check, hostname, unicode, kind, project: null }
}

/** The record that delegates challenges is shown once the domain is added, so it is not missing yet. */
function methodsBeforeAdding(kind: DomainKind, { challengeDns }: CheckContext['naming']): ValidationMethods {
  const byDns = kind === 'wildcard' || challengeDns ? (['dns-01'] as const) : []
  const { usable } = validationMethods(null)
  return { usable: kind === 'wildcard' ? byDns : [...usable, ...byDns], delegate: null }
}

/** The proof this account would need. */
async function proofBeforeAdding(
  { database, naming }: CheckContext,
  account_id: Id<'account'>,
  { hostname, kind }: Hostname,
): Promise<ProofRequirement | null> {
  if (kind === 'subdomain') return null
  const required = { need: 'required', challenge: null, by: null, dueAt: null } as const
  if (kind === 'wildcard') return { ...required, siblings: [] }
  const siblings = await findSiblingTargets(database.read, { account_id, hostname }, naming)
  return { ...required, siblings }
}

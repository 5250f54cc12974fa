import { domainStates } from '@masthead/contract/domains/states.ts'
import type { DomainCheck } from '@masthead/contract/schemas/domain.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { findOwnCertificates } from '../../certificates/own/own-certificates.ts'
import type { EventActor } from '../../events/record-event.ts'
import { findProofRequirement, findSiblingTargets } from '../claims/ownership.ts'
import type { DomainContext } from '../context.ts'
import { withCertificateRecord } from '../dns-check/certificate-record.ts'
import { type CheckContext, checkDns } from '../dns-check/check-dns.ts'
import { type DomainRow, delegationStatuses, isDelegable, isDelegationNeeded } from '../domain.ts'
import { type Hostname, readHostname } from '../hostname.ts'
import { findDelegation } from '../https/delegations.ts'
import type { Lease } from '../lease-store.ts'
import { findCoverage } from '../proofs/coverage.ts'
import { type Coverage, certificateRecord, type ProofRequirement } from '../records.ts'
import { findDomainOfAccount } from '../store.ts'
import { type Applied, applyCheck } from './apply-check.ts'

/** Checks the DNS of a domain and applies the result. */
export async function checkDomain(
  context: DomainContext,
  row: DomainRow,
  { by, lease = null, signal }: { by: EventActor; lease?: Lease | null; signal?: AbortSignal | undefined },
): Promise<Applied> {
  const { database, naming, now } = context
  const coverage = await findCoverage(database.read, row)
  const proof = await findProofRequirement(database.read, row, { naming, now: now(), coverage })
  const { hostname, kind, target } = row
  const own = (await findOwnCertificates(database.read, [row.id])).get(row.id) ?? null
  const isNeeded = isDelegationNeeded(row, naming, own)
  const proxy = proxyRequirement(row, context)
  const [checked, seen] = await Promise.all([
    checkDns(context, { hostname, kind, target, proof, coverage, proxy }, signal),
    isNeeded || isDelegable(row, naming) ? findDelegation(context, row, naming, signal) : undefined,
  ])
  const delegated = seen === undefined ? checked : { ...checked, delegation: seen.outcome }
  const result = isNeeded
    ? withCertificateRecord(
        delegated,
        certificateRecord(row, naming, {
          zone: checked.check.zone,
          label: seen?.label ?? null,
          status: delegationStatuses[seen?.outcome ?? 'unclear'],
        }),
        hostname,
      )
    : delegated
  return applyCheck(context, { domain: row, result, proof, coverage, by, lease })
}

function proxyRequirement(
  { proxy: provider, state, account_id: account }: DomainRow,
  { routes }: DomainContext,
) {
  if (provider === null) return null
  const redirects = routes?.redirectsToHttps === true && domainStates[state].served === 'yes'
  return { provider, redirects, account }
}

/** Checks a name before the account adds it. Nothing is saved. */
export async function checkName(
  context: CheckContext,
  accountId: Id<'account'>,
  typed: string,
): Promise<DomainCheck> {
  const name = readHostname(typed, context.naming)
  const { hostname, unicode, kind } = name
  const own = await findDomainOfAccount(context.database.read, accountId, hostname)
  const held = own?.held ?? 0
  const coverage = await findCoverage(context.database.read, { account_id: accountId, hostname, held })
  const proof = coverage?.by === 'own' ? null : await proofBeforeAdding(context, accountId, name, coverage)
  const { check } = await checkDns(context, { hostname, kind, target: null, proof, coverage })
  return { ...check, hostname, unicode, kind }
}

/** The proof this account would need; null if it has already proved the name. */
async function proofBeforeAdding(
  { database, naming, now }: CheckContext,
  account_id: Id<'account'>,
  { hostname, kind }: Hostname,
  coverage: Coverage | null,
): Promise<ProofRequirement | null> {
  if (kind === 'subdomain') return null
  if (kind === 'wildcard') return { need: 'required', challenge: null, siblings: [], by: null, dueAt: null }
  const own = await findDomainOfAccount(database.read, account_id, hostname)
  const wanted =
    own === undefined
      ? null
      : await findProofRequirement(database.read, own, { naming, now: now(), coverage })
  if (wanted?.need === 'given') return null
  const siblings =
    wanted?.siblings ?? (await findSiblingTargets(database.read, { account_id, hostname }, naming))
  return { need: 'required', challenge: null, siblings, by: null, dueAt: null }
}

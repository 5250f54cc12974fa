import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { type DomainState, domainStates, isServed } from '@masthead/contract/domains/states.ts'
import type {
  DnsCheck,
  ObservedRecord,
  RequiredDnsRecord,
} from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Selectable } from 'kysely'
import type { OwnCertificateRow } from '../certificates/own/own-certificates.ts'
import type { Addresses } from '../config/addresses.ts'
import type { Schema } from '../database/schema.ts'
import { minute } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { ProjectRow } from '../projects/project.ts'
import type { DomainContext } from './context.ts'
import type { FoundProof } from './records.ts'

export type DomainRow = Selectable<Schema['domains']>

/** Whether visitors see the domain: the account holds the name, and its state is a served one. */
export function isServing({ held, state }: Pick<DomainRow, 'held' | 'state'>): boolean {
  return held === 1 && isServed(state)
}

/** Whether its certificate can be obtained while DNS points elsewhere. */
export function isPreparable(
  { state }: Pick<DomainRow, 'state'>,
  { challengeDns }: Pick<DomainContext['naming'], 'challengeDns'>,
): boolean {
  return challengeDns && (state === 'pending' || state === 'prepared')
}

/** Whether its certificate needs the record that delegates challenges to us. The internal CA asks for none. */
export function isDelegationNeeded(
  { kind }: Pick<DomainRow, 'kind'>,
  { challengeDns, authorities }: Pick<DomainContext['naming'], 'challengeDns' | 'authorities'>,
  own: OwnCertificateRow | null,
): boolean {
  const isInternal = authorities.some(({ id }) => id === 'internal')
  return kind === 'wildcard' && challengeDns && !isInternal && own === null
}

/** Whether certificates of a domain are worth delegating: of one that waits, or is behind a proxy for good. */
export function isDelegable(
  row: Pick<DomainRow, 'state' | 'proxy'>,
  naming: Pick<DomainContext['naming'], 'challengeDns'>,
): boolean {
  return isPreparable(row, naming) || (naming.challengeDns && row.proxy !== null)
}

/** What the column `last_check` holds. */
export interface StoredCheck {
  check: DnsCheck
  records: RequiredDnsRecord[]
  /** What proved an apex in this check. */
  proof?: FoundProof | null
  /** Whether certificate challenges are delegated to this claim. Absent if it was not looked for. */
  delegation?: DelegationOutcome
  /** What is at the name that would delegate them. */
  challengeRecords?: ObservedRecord[]
  /** The proxy that it was judged with; absent if the domain was not marked. */
  proxy?: ProxyProvider | null
  /** Whether DNS showed our own record, without a proxy. */
  isDirect?: boolean
  /** What our requests through the proxy found; null if none were sent. */
  route?: NonNullable<Domain['proxied']>['route']
}

export type DelegationOutcome = 'delegated' | 'missing' | 'unclear'

/** How the record of a delegation is shown. */
export function delegationStatus(
  outcome: DelegationOutcome = 'unclear',
  observed: ObservedRecord[] = [],
): Pick<RequiredDnsRecord, 'status' | 'observed'> {
  if (outcome === 'unclear') return { status: 'unchecked', observed: [] }
  if (outcome === 'delegated') return { status: 'ok', observed }
  return { status: observed.length === 0 ? 'missing' : 'wrong', observed }
}

/** Null before the first check. */
export function lastCheckOf({ last_check }: Pick<DomainRow, 'last_check'>): StoredCheck | null {
  return last_check === null ? null : (JSON.parse(last_check) as StoredCheck)
}

/** The URL of a domain, with https once it has a certificate. */
export function domainUrl(
  { hostname, state }: { hostname: string; state: DomainState },
  addresses: Pick<Addresses, 'plain' | 'host'>,
): string {
  return domainStates[state].served === 'http' ? addresses.plain(hostname) : addresses.host(hostname)
}

export function noSuchDomain({ slug }: ProjectRow, name: string): Problem {
  return new Problem('not_found', `The project ${slug} has no domain ${name}.`)
}

/** Nodes go by the same clock, but it may be set between two of their questions. */
const clockTolerance = minute

/** Whether a stored check is newer than another. Not if it is from the future: then the clock was set back since. */
export function isNewerCheck(stored: { at: string }, other: { at: string }, now: number): boolean {
  const at = Date.parse(stored.at)
  return at > Date.parse(other.at) && at <= now + clockTolerance
}

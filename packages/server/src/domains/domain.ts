import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { type DomainState, domainStates, isServed } from '@masthead/contract/domains/states.ts'
import type { CertificateView } from '@masthead/contract/schemas/domains/certificate.ts'
import type {
  DnsCheck,
  ObservedRecord,
  RequiredDnsRecord,
} from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Selectable } from 'kysely'
import type { CertificateState } from '../certificates/certificate-state.ts'
import { endsSoon } from '../certificates/own/expiry-warnings.ts'
import type { OwnCertificateRow } from '../certificates/own/own-certificates.ts'
import type { Addresses } from '../config/addresses.ts'
import type { Schema } from '../database/schema.ts'
import { isoTime, isoTimeOrNull, minute } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { ProjectRow } from '../projects/project.ts'
import type { DomainContext } from './context.ts'
import { describeHostname } from './hostname.ts'
import {
  certificateRecord,
  delegationRecord,
  type FoundProof,
  type ProofRequirement,
  recordName,
  targetName,
  uncheckedRecords,
  type Wanted,
  wantedFor,
  wantedTtl,
} from './records.ts'
import { searchEndsAt } from './schedule.ts'

/** A certificate takes seconds, minutes at most. After this long someone should look into it. */
const adviceAfter = 30 * minute

/** A domain's certificate as the API shows it. */
export function toCertificateView(
  { lastError, issuerTitle: issuer, ...state }: CertificateState,
  ownRow: OwnCertificateRow | null,
): CertificateView {
  const own = ownRow === null ? null : toOwnView(ownRow, state.serial)
  if (lastError === null) return { ...state, issuer, own, lastError }
  return {
    ...state,
    issuer,
    own,
    lastError: { ...lastError, said: wordsOf(lastError), add: lastError.add ?? null },
  }
}

function toOwnView(row: OwnCertificateRow, servedSerial: string | null): CertificateView['own'] {
  return {
    issuer: row.issuer_title,
    serial: row.serial,
    names: JSON.parse(row.names),
    notBefore: isoTime(row.not_before),
    notAfter: isoTime(row.not_after),
    trusted: row.trusted === 1,
    inUse: row.serial === servedSerial,
    uploadedAt: isoTime(row.uploaded_at),
  }
}

function adviceFor(
  { state, state_since }: Pick<Schema['domains'], 'state' | 'state_since'>,
  { certificate: { status }, own }: Pick<DomainFacts, 'certificate' | 'own'>,
  now: number,
): Domain['advice'] {
  if (own !== null && endsSoon(own.not_after, now)) return 'replace_certificate'
  const isLate = state === 'verified' && status !== 'valid' && now - state_since >= adviceAfter
  return isLate ? 'reverify' : null
}

function wordsOf({ problem }: NonNullable<CertificateState['lastError']>): string | null {
  return problem?.detail ?? problem?.subproblems?.[0]?.detail ?? null
}

/** The URL of a domain, with https once it has a certificate. */
export function domainUrl(
  { hostname, state }: { hostname: string; state: DomainState },
  addresses: Pick<Addresses, 'plain' | 'host'>,
): string {
  return domainStates[state].served === 'http' ? addresses.plain(hostname) : addresses.host(hostname)
}

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

export interface DomainFacts {
  proof: ProofRequirement | null
  certificate: CertificateState
  /** Uploaded by the account. */
  own: OwnCertificateRow | null
}

export function toDomain(
  row: DomainRow,
  { addresses, naming, now }: Pick<DomainContext, 'addresses' | 'naming' | 'now'>,
  { proof, certificate, own }: DomainFacts,
): Domain {
  const { hostname, kind, target } = row
  const last = lastCheckOf(row)
  const proxy = row.proxy === null ? null : { provider: row.proxy, redirects: false }
  const wanted = wantedFor({ hostname, kind, target, proof, proxy }, naming)
  const { checked } = domainStates[row.state]
  return {
    hostname,
    unicode: describeHostname(hostname).unicode,
    kind,
    state: row.state,
    url: domainUrl(row, addresses),
    records: [
      ...uncheckedRecords(wanted),
      ...(isDelegationNeeded(row, naming, own) ? [certificateRecord(row, naming)] : []),
    ].map((record) => withLastStatus(record, last?.records ?? [])),
    lastCheck: last?.check ?? null,
    preparation: isPreparationShown(row, naming) ? preparationOf(row, wanted, naming, certificate) : null,
    proxied: row.proxy === null ? null : toProxied(row, row.proxy, wanted, naming),
    proof: proof === null ? null : { by: proof.by, dueAt: isoTimeOrNull(row.proof_due_at) },
    branch: row.branch,
    certificate: toCertificateView(certificate, own),
    advice: adviceFor(row, { certificate, own }, now()),
    createdAt: isoTime(row.created_at),
    verifiedAt: isoTimeOrNull(row.verified_at),
    liveAt: isoTimeOrNull(row.live_at),
    nextCheckAt: isoTimeOrNull(row.next_check_at),
    checkedUntil: checked === 'searching' ? isoTime(searchEndsAt(row)) : null,
  }
}

/** A wildcard needs the record anyway, so it is among the others. */
function isPreparationShown(row: DomainRow, naming: DomainContext['naming']): boolean {
  return isPreparable(row, naming) && (row.kind !== 'wildcard' || row.state === 'prepared')
}

function toProxied(
  row: DomainRow,
  provider: ProxyProvider,
  wanted: Wanted,
  naming: DomainContext['naming'],
): NonNullable<Domain['proxied']> {
  const last = lastCheckOf(row)
  return {
    provider,
    origin: targetName(row.target, naming),
    certificateBy: row.kind === 'wildcard' || last?.delegation === 'delegated' ? 'dns-01' : 'http-01',
    delegation: naming.challengeDns ? toDelegation(row, wanted, naming) : null,
    route: last?.proxy === provider ? (last.route ?? null) : null,
  }
}

function toDelegation(row: DomainRow, wanted: Wanted, naming: DomainContext['naming']) {
  const record = delegationRecord(row, naming)
  const { delegation, challengeRecords } = lastCheckOf(row) ?? {}
  const seen = delegationStatus(delegation, challengeRecords)
  return { ...record, name: recordName(record.fqdn, wanted), ttl: wantedTtl, ...seen } as const
}

/** How far a move to us has been prepared. */
function preparationOf(
  row: DomainRow,
  wanted: Wanted,
  naming: DomainContext['naming'],
  { status }: Pick<CertificateState, 'status'>,
): NonNullable<Domain['preparation']> {
  const probe = row.probe === null ? null : (JSON.parse(row.probe) as { edge: unknown })
  const certificate = row.state === 'prepared' && status === 'valid'
  const tested = certificate && probe !== null && probe.edge !== null
  return {
    record: toDelegation(row, wanted, naming),
    certificate,
    tested,
    ready: tested,
  }
}

/** The required records may have changed since the last check. A new one is unchecked. */
function withLastStatus(record: RequiredDnsRecord, seen: readonly RequiredDnsRecord[]): RequiredDnsRecord {
  const { purpose, type, fqdn, value } = record
  // Its value may be the label of another domain of the account.
  if (purpose === 'certificate') return seen.find((one) => one.purpose === purpose) ?? record
  return seen.find((one) => one.type === type && one.fqdn === fqdn && one.value === value) ?? record
}

export function noSuchDomain({ slug }: ProjectRow, name: string): Problem {
  return new Problem('not_found', `The project ${slug} has no domain ${name}.`)
}

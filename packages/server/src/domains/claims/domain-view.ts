import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { domainStates } from '@masthead/contract/domains/states.ts'
import type { CertificateView } from '@masthead/contract/schemas/domains/certificate.ts'
import type { RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { CertificateState } from '../../certificates/certificate-state.ts'
import { endsSoon } from '../../certificates/own/expiry-warnings.ts'
import type { OwnCertificateRow } from '../../certificates/own/own-certificates.ts'
import { isoTime, isoTimeOrNull, minute } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import {
  type DomainRow,
  delegationStatus,
  domainUrl,
  isDelegationNeeded,
  isPreparable,
  lastCheckOf,
} from '../domain.ts'
import { describeHostname } from '../hostname.ts'
import { parseProbe } from '../https/stored-probe.ts'
import {
  certificateRecord,
  delegationRecord,
  type ProofRequirement,
  recordName,
  targetName,
  uncheckedRecords,
  type Wanted,
  wantedFor,
  wantedTtl,
} from '../records.ts'
import { searchEndsAt } from '../schedule.ts'

export interface DomainFacts {
  proof: ProofRequirement | null
  certificate: CertificateState
  /** Uploaded by the account. */
  own: OwnCertificateRow | null
}

/** A domain as the API shows it. */
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
  const { delegation, challengeRecords, check } = lastCheckOf(row) ?? {}
  const seen = delegationStatus(delegation, challengeRecords)
  return { ...record, name: recordName(record.fqdn, wanted, check?.zone), ttl: wantedTtl, ...seen } as const
}

/** How far a move to us has been prepared. */
function preparationOf(
  row: DomainRow,
  wanted: Wanted,
  naming: DomainContext['naming'],
  { status }: Pick<CertificateState, 'status'>,
): NonNullable<Domain['preparation']> {
  const certificate = row.state === 'prepared' && status === 'valid'
  const tested = certificate && parseProbe(row).edge !== null
  return {
    record: toDelegation(row, wanted, naming),
    certificate,
    tested,
    ready: tested,
  }
}

/** The required records may have changed since the last check. A new one is unchecked. */
function withLastStatus(record: RequiredDnsRecord, seen: readonly RequiredDnsRecord[]): RequiredDnsRecord {
  const { purpose, fqdn, value } = record
  // Its value may be the label of another domain of the account.
  if (purpose === 'certificate') return seen.find((one) => one.purpose === purpose) ?? record
  // Its type may be another one, at the top of a zone.
  return seen.find((one) => one.purpose === purpose && one.fqdn === fqdn && one.value === value) ?? record
}

/** The same for its certificate. */
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

/** A certificate takes seconds, minutes at most. After this long someone should look into it. */
const adviceAfter = 30 * minute

function adviceFor(
  { state, state_since }: Pick<DomainRow, 'state' | 'state_since'>,
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

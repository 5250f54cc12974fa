import { domainStates } from '@masthead/contract/domain-states.ts'
import type { DnsCheck, DnsRecordWanted, Domain } from '@masthead/contract/schemas/domain.ts'
import type { Selectable } from 'kysely'
import type { CertificateState } from '../certificates/certificate-state.ts'
import { isoTime, isoTimeOrNull } from '../clock.ts'
import type { Schema } from '../database/schema.ts'
import { adviceFor, toCertificateView } from './certificate-view.ts'
import type { DomainContext } from './context.ts'
import { domainUrl } from './domain-url.ts'
import { describeHostname } from './hostname.ts'
import { type FoundProof, type ProofWanted, uncheckedRecords, wantedFor } from './records.ts'
import { searchEndsAt } from './schedule.ts'

export type DomainRow = Selectable<Schema['domains']>

/** What the column `last_check` holds. */
export interface StoredCheck {
  check: DnsCheck
  records: DnsRecordWanted[]
  /** What proved an apex in this check. */
  proof?: FoundProof | null
}

export interface DomainFacts {
  proof: ProofWanted | null
  certificate: CertificateState
}

export function toDomain(
  row: DomainRow,
  { addresses, naming, now }: Pick<DomainContext, 'addresses' | 'naming' | 'now'>,
  { proof, certificate }: DomainFacts,
): Domain {
  const { hostname, kind, target } = row
  const last = row.last_check === null ? null : (JSON.parse(row.last_check) as StoredCheck)
  const wanted = wantedFor({ hostname, kind, target, proof }, naming)
  const { checked } = domainStates[row.state]
  return {
    hostname,
    unicode: describeHostname(hostname).unicode,
    kind,
    state: row.state,
    url: domainUrl(row, addresses),
    records: uncheckedRecords(wanted).map((record) => asLastSeen(record, last?.records ?? [])),
    lastCheck: last?.check ?? null,
    proof: proof === null ? null : { by: proof.by, dueAt: isoTimeOrNull(row.proof_due_at) },
    certificate: toCertificateView(certificate),
    advice: adviceFor(row, certificate, now()),
    createdAt: isoTime(row.created_at),
    verifiedAt: isoTimeOrNull(row.verified_at),
    liveAt: isoTimeOrNull(row.live_at),
    nextCheckAt: isoTimeOrNull(row.next_check_at),
    checkedUntil: checked === 'searching' ? isoTime(searchEndsAt(row)) : null,
  }
}

/** What is asked for may have changed since the last check: a record that it did not look for is unchecked. */
function asLastSeen(record: DnsRecordWanted, seen: readonly DnsRecordWanted[]): DnsRecordWanted {
  const { type, fqdn, value } = record
  return seen.find((one) => one.type === type && one.fqdn === fqdn && one.value === value) ?? record
}

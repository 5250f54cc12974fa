import type { Reader } from '../database/database.ts'
import { isoTimeOrNull } from '../kernel/clock.ts'
import { titleOfIssuer } from './authorities/authorities.ts'
import type { CertificateError } from './jobs/backoff.ts'
import type { JobRow } from './jobs/job.ts'
import { findJobs } from './jobs/job-store.ts'
import type { PassedOver } from './jobs/try-authorities.ts'
import { type CertificateRow, findCertificateRows } from './store.ts'

/** The state of a name's certificate, as the API returns it. */
export interface CertificateState {
  status: 'none' | 'pending' | 'valid' | 'failed'
  /** `internal`, `own`, or the URL of the ACME directory. */
  issuer: string | null
  /** The name of who signed it. */
  issuerTitle: string | null
  serial: string | null
  notAfter: string | null
  attempts: number
  lastError: CertificateError | null
  nextAttemptAt: string | null
  passedOver: PassedOver[]
}

export const noCertificate: CertificateState = {
  status: 'none',
  issuer: null,
  issuerTitle: null,
  serial: null,
  notAfter: null,
  attempts: 0,
  lastError: null,
  nextAttemptAt: null,
  passedOver: [],
}

/** Keyed by name. Names with neither a certificate nor a job are left out. */
export async function findCertificateStates(
  db: Reader,
  names: readonly string[],
  now: number,
): Promise<Map<string, CertificateState>> {
  const [certificates, jobs] = await Promise.all([findCertificateRows(db, names), findJobs(db, names)])
  const [certificateByName, jobByName] = [byName(certificates), byName(jobs)]
  const known = names.filter((name) => certificateByName.has(name) || jobByName.has(name))
  return new Map(known.map((name) => [name, stateOf(certificateByName.get(name), jobByName.get(name), now)]))
}

export function byName<Row extends { name: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.name, row]))
}

export function stateOf(
  certificate: CertificateRow | undefined,
  job: JobRow | undefined,
  now: number,
): CertificateState {
  const isValid = certificate !== undefined && certificate.not_after > now
  const isPending = job !== undefined && job.next_attempt_at !== null
  const isNone = certificate === undefined && job === undefined
  return {
    status: isValid ? 'valid' : isPending ? 'pending' : isNone ? 'none' : 'failed',
    issuer: certificate?.issuer ?? null,
    issuerTitle:
      certificate === undefined ? null : (certificate.issuer_title ?? titleOfIssuer(certificate.issuer)),
    serial: certificate?.serial ?? null,
    notAfter: isoTimeOrNull(certificate?.not_after ?? null),
    attempts: job?.attempts ?? 0,
    lastError: job?.last_error == null ? null : JSON.parse(job.last_error),
    nextAttemptAt: isoTimeOrNull(job?.next_attempt_at ?? null),
    passedOver: JSON.parse(certificate?.passed_over ?? '[]'),
  }
}

import type { Reader } from '../database/database.ts'
import { second } from '../kernel/clock.ts'
import { purposes } from '../secrets/sealed-values.ts'
import { validationCertificate } from './acme/tls-alpn-01.ts'
import type { IssuingContext } from './context.ts'
import { findChallengeByName, findChallengeByToken } from './jobs/challenge-store.ts'
import { findJob } from './jobs/job-store.ts'
import { findCertificateRow } from './store.ts'

export interface ServableCertificate {
  chain: string
  keyPem: string
  serial: string
  notAfter: number
}

export async function findCertificate(
  { database, sealing }: Pick<IssuingContext, 'database' | 'sealing'>,
  name: string,
): Promise<ServableCertificate | null> {
  const row = await findCertificateRow(database.read, name)
  if (row === undefined) return null
  const keyPem = sealing.open(row.sealed_key, purposes.certificate(name)).toString()
  return { chain: row.chain, keyPem, serial: row.serial, notAfter: row.not_after }
}

/** Soon enough to be waited for. */
const soon = 2 * second

/** Whether the first certificate of a name is being got, or begins to be in a moment. */
export async function isCertificatePending(
  { database, now }: Pick<IssuingContext, 'database' | 'now'>,
  name: string,
): Promise<boolean> {
  const job = await findJob(database.read, name)
  if (job === undefined) return false
  const isAtWork = job.lease_owner !== null && job.lease_until > now()
  return isAtWork || (job.next_attempt_at !== null && job.next_attempt_at <= now() + soon)
}

const token = /^[A-Za-z0-9_-]{1,256}$/

/** The answer to an http-01 challenge, whichever node has ordered. */
export async function findChallenge(
  { database, now }: Pick<IssuingContext, 'database' | 'now'>,
  asked: string,
): Promise<string | null> {
  if (!token.test(asked)) return null
  const row = await findChallengeByToken(database.read, asked, now())
  return row?.kind === 'http-01' ? row.key_authorization : null
}

/** The certificate that answers a tls-alpn-01 challenge, made anew each time: a CA asks a few times, nobody else. */
export async function findAlpnChallenge(
  { database, now }: Pick<IssuingContext, 'database' | 'now'>,
  name: string,
): Promise<{ certificatePem: string; privateKeyPem: string } | null> {
  const row = await findChallengeByName(database.read, name, now())
  if (row === undefined) return null
  return validationCertificate({ name, keyAuthorization: row.key_authorization, now: now() })
}

/** The certificate of a name without its key, for whoever looks whether it is the one that is served. */
export interface InstalledCertificate {
  chain: string
  serial: string
  notAfter: number
}

export async function findInstalledCertificate(
  db: Reader,
  name: string,
): Promise<InstalledCertificate | null> {
  const row = await findCertificateRow(db, name)
  return row === undefined ? null : { chain: row.chain, serial: row.serial, notAfter: row.not_after }
}

import type { Reader } from '../database/database.ts'
import { second } from '../kernel/clock.ts'
import type { IssuingContext } from './context.ts'
import { findChallengeByName, findChallengeByToken } from './jobs/challenge-store.ts'
import { findJob } from './jobs/job-store.ts'
import { purposes } from './sealed-columns.ts'
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

/** Soon enough for a handshake to wait. */
const soon = 2 * second

/** Whether a certificate for the name is being obtained or is about to be. */
export async function isCertificatePending(
  { database, now }: Pick<IssuingContext, 'database' | 'now'>,
  name: string,
): Promise<boolean> {
  const job = await findJob(database.read, name)
  if (job === undefined) return false
  const isRunning = job.lease_owner !== null && job.lease_until > now()
  return isRunning || (job.next_attempt_at !== null && job.next_attempt_at <= now() + soon)
}

const tokenPattern = /^[A-Za-z0-9_-]{1,256}$/

/** The response to an http-01 challenge, whichever node ordered. */
export async function findChallenge(
  { database, now }: Pick<IssuingContext, 'database' | 'now'>,
  token: string,
): Promise<string | null> {
  if (!tokenPattern.test(token)) return null
  const row = await findChallengeByToken(database.read, token, now())
  return row?.kind === 'http-01' ? row.key_authorization : null
}

/** The certificate for a tls-alpn-01 challenge. Created on every call: only the CA asks, and only a few times. */
export async function findAlpnChallenge(
  { database, now }: Pick<IssuingContext, 'database' | 'now'>,
  name: string,
): Promise<{ certificatePem: string; privateKeyPem: string } | null> {
  const row = await findChallengeByName(database.read, name, now())
  if (row === undefined) return null
  const { validationCertificate } = await import('./acme/tls-alpn-01.ts')
  return validationCertificate({ name, keyAuthorization: row.key_authorization, now: now() })
}

/** A certificate without its key, for checking that it is the one being served. */
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

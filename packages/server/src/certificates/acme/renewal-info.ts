import { z } from 'zod'
import { day, hour, minute } from '../../kernel/clock.ts'
import { readPemChain } from '../x509/issued-certificate.ts'
import { AuthorityKeyIdentifierExtension, X509Certificate } from '../x509/x509.ts'
import type { AcmeConnection } from './connection.ts'
import { readJson } from './read-response.ts'
import { rfc3339 } from './response-fields.ts'

/** When the CA would like a certificate to be renewed (RFC 9773). */
export interface RenewalInfo {
  window: { start: number; end: number }
  /** A page that says why, where the window is out of the ordinary. */
  explanationUrl: string | null
  /** When to ask again: as the CA says, within reason. */
  nextCheckAt: number
}

const soonest = minute
const latest = day
const usual = 6 * hour

const renewalInfoBody = z.object({
  suggestedWindow: z
    .object({ start: rfc3339, end: rfc3339 })
    .refine(({ start, end }) => start < end, 'the window ends before it starts'),
  explanationURL: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable()
    .catch(null),
})

/** Null where the CA has no ARI. */
export async function readRenewalInfo(connection: AcmeConnection, id: string): Promise<RenewalInfo | null> {
  const { renewalInfo } = await connection.directory()
  if (renewalInfo === undefined) return null
  const answer = await connection.get(`${renewalInfo.replace(/\/$/, '')}/${id}`)
  const { suggestedWindow, explanationURL } = readJson(answer, renewalInfoBody)
  const now = connection.now()
  const asked = answer.retryAt ?? now + usual
  return {
    window: suggestedWindow,
    explanationUrl: explanationURL,
    nextCheckAt: Math.min(Math.max(asked, now + soonest), now + latest),
  }
}

/**
 * What a CA calls a certificate here (section 4.1): its issuer's key identifier and its serial number, both as
 * they stand in it. Null where the issuer left the identifier out.
 */
export function renewalId(chainPem: string): string | null {
  const leaf = readPemChain(chainPem)?.[0]
  if (leaf === undefined) return null
  const issuer = new X509Certificate(leaf.raw).getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (issuer === undefined) return null
  // DER writes a zero byte before a number that would look negative; the runtime leaves it out.
  const digits = leaf.serialNumber.padStart(leaf.serialNumber.length + (leaf.serialNumber.length % 2), '0')
  const serial = Buffer.from(/^[89a-f]/i.test(digits) ? `00${digits}` : digits, 'hex')
  return `${Buffer.from(issuer, 'hex').toString('base64url')}.${serial.toString('base64url')}`
}

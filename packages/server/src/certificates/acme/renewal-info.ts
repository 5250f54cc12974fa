import { z } from 'zod'
import { day, hour, minute } from '../../kernel/clock.ts'
import { readPemChain } from '../x509/issued-certificate.ts'
import { AuthorityKeyIdentifierExtension, X509Certificate } from '../x509/x509.ts'
import type { AcmeConnection } from './connection.ts'
import { readJson } from './read-response.ts'
import { rfc3339 } from './response-fields.ts'

/** When the CA wants a certificate to be renewed (RFC 9773). */
export interface RenewalInfo {
  window: { start: number; end: number }
  /** A page that explains an unusual window. */
  explanationUrl: string | null
  /** When to ask again: what the CA says, within our limits. */
  nextCheckAt: number
}

const soonestCheck = minute
const latestCheck = day
const defaultCheck = 6 * hour

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

/** Null if the CA does not support ARI. */
export async function readRenewalInfo(connection: AcmeConnection, id: string): Promise<RenewalInfo | null> {
  const { renewalInfo } = await connection.directory()
  if (renewalInfo === undefined) return null
  const response = await connection.get(`${renewalInfo.replace(/\/$/, '')}/${id}`)
  const { suggestedWindow, explanationURL } = readJson(response, renewalInfoBody)
  const now = connection.now()
  const suggested = response.retryAt ?? now + defaultCheck
  return {
    window: suggestedWindow,
    explanationUrl: explanationURL,
    nextCheckAt: Math.min(Math.max(suggested, now + soonestCheck), now + latestCheck),
  }
}

/**
 * The identifier of a certificate (section 4.1): its authority key identifier and its serial number. Null if the
 * certificate has no authority key identifier.
 */
export function renewalId(chainPem: string): string | null {
  const leaf = readPemChain(chainPem)?.[0]
  if (leaf === undefined) return null
  const issuer = new X509Certificate(leaf.raw).getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (issuer === undefined) return null
  // DER puts a zero byte before a number that would look negative; Node leaves it out.
  const digits = leaf.serialNumber.padStart(leaf.serialNumber.length + (leaf.serialNumber.length % 2), '0')
  const serial = Buffer.from(/^[89a-f]/i.test(digits) ? `00${digits}` : digits, 'hex')
  return `${Buffer.from(issuer, 'hex').toString('base64url')}.${serial.toString('base64url')}`
}

import { calculateJwkThumbprint } from 'jose'
import { z } from 'zod'
import type { KeyPair } from '../x509/key-pair.ts'
import type { AcmeAccount } from './account.ts'
import type { AcmeConnection } from './connection.ts'
import { AcmeProblem, problemDocument } from './problem.ts'
import { readJson } from './read-response.ts'
import { acmeUrl, rfc3339 } from './response-fields.ts'

/** The challenge types we support. */
export const challengeTypes = ['http-01', 'tls-alpn-01', 'dns-01'] as const

const challenge = z.object({
  type: z.enum(challengeTypes),
  url: acmeUrl,
  status: z.enum(['pending', 'processing', 'valid', 'invalid']),
  // Tokens become part of public URLs, so we enforce their alphabet (RFC 8555, section 8.1).
  token: z.string().regex(/^[A-Za-z0-9_-]{1,256}$/),
  error: problemDocument.optional(),
})

const authorizationBody = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  expires: rfc3339.nullable().catch(null),
  identifier: z.object({ type: z.string(), value: z.string().max(253) }),
  /** Only the supported types; CAs offer others as well. */
  challenges: z
    .array(z.unknown())
    .max(50)
    .transform((all) => all.flatMap((one) => challenge.safeParse(one).data ?? [])),
})

export type ChallengeType = (typeof challengeTypes)[number]
export type Challenge = z.infer<typeof challenge>

/** Whether the account may get certificates for a name (RFC 8555, section 7.1.4). */
export interface Authorization extends z.infer<typeof authorizationBody> {
  url: string
  retryAt: number | null
}

export async function readAuthorization(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<Authorization> {
  const response = await connection.post(account, url)
  return { ...readJson(response, authorizationBody), url, retryAt: response.retryAt }
}

/**
 * Asks the CA to validate a challenge, whose response must be in place by now. Can be repeated after a crash: a CA that
 * has finished the challenge rejects the request, and we read its status instead.
 */
export async function answerChallenge(
  connection: AcmeConnection,
  account: AcmeAccount,
  { url }: Pick<Challenge, 'url'>,
): Promise<Challenge> {
  try {
    return readJson(await connection.post(account, url, {}), challenge)
  } catch (error) {
    if (!(error instanceof AcmeProblem) || error.kind !== 'malformed') throw error
    const current = readJson(await connection.post(account, url), challenge)
    if (current.status === 'pending') throw error
    return current
  }
}

/** The response to a challenge: its token, bound to the account's key (RFC 8555, section 8.1). */
export async function keyAuthorization(token: string, { publicKey }: KeyPair): Promise<string> {
  return `${token}.${await calculateJwkThumbprint(publicKey)}`
}

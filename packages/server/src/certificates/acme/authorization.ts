import { calculateJwkThumbprint } from 'jose'
import { z } from 'zod'
import type { KeyPair } from '../x509/key-pair.ts'
import type { AcmeAccount } from './account.ts'
import type { AcmeConnection } from './connection.ts'
import { AcmeProblem, problemDocument } from './problem.ts'
import { readJson } from './read-response.ts'
import { acmeUrl, rfc3339 } from './response-fields.ts'

/** The ways to prove a name that we have an answer for. */
export const challengeTypes = ['http-01', 'tls-alpn-01'] as const

const challenge = z.object({
  type: z.enum(challengeTypes),
  url: acmeUrl,
  status: z.enum(['pending', 'processing', 'valid', 'invalid']),
  // It becomes part of a path that strangers ask for, so its alphabet is held to (RFC 8555, section 8.1).
  token: z.string().regex(/^[A-Za-z0-9_-]{1,256}$/),
  error: problemDocument.optional(),
})

const authorizationBody = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  expires: rfc3339.nullable().catch(null),
  identifier: z.object({ type: z.string(), value: z.string().max(253) }),
  /** Those of a kind that we know; CAs offer others beside them. */
  challenges: z
    .array(z.unknown())
    .max(50)
    .transform((offered) => offered.flatMap((one) => challenge.safeParse(one).data ?? [])),
})

export type ChallengeType = (typeof challengeTypes)[number]
export type Challenge = z.infer<typeof challenge>

/** Whether the account may have certificates for a name, as the CA tells it (RFC 8555, section 7.1.4). */
export interface Authorization extends z.infer<typeof authorizationBody> {
  url: string
  retryAt: number | null
}

export async function readAuthorization(
  connection: AcmeConnection,
  account: AcmeAccount,
  url: string,
): Promise<Authorization> {
  const answer = await connection.post(account, url)
  return { ...readJson(answer, authorizationBody), url, retryAt: answer.retryAt }
}

/**
 * Tells the CA that it may come and look. The answer to the challenge has to be in place by then. It may be told
 * again after a crash: a CA that is done with the challenge refuses that, and where it stands counts instead.
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

/** What answers a challenge: its token, bound to the account's key (RFC 8555, section 8.1). */
export async function keyAuthorization(token: string, { publicKey }: KeyPair): Promise<string> {
  return `${token}.${await calculateJwkThumbprint(publicKey)}`
}

/** Where an http-01 challenge is answered, over plain HTTP. The answer is the key authorization. */
export const challengePath = '/.well-known/acme-challenge/'

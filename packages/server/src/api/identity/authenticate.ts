import type { FastifyRequest } from 'fastify'
import { type AccountActor, type Actor, type KeyActor, unknownKey } from '../../accounts/actor.ts'
import type { Context } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret, isSameHash, looksLikeKey } from '../../kernel/tokens.ts'
import { findKeyActor, type KeyCache } from '../../keys/find-key-actor.ts'
import { findSessionActor, type SessionCache } from '../../people/sign-in/session.ts'
import { clientOf, readSessionCookie } from './cookies.ts'
import { requestedAccount } from './requested-account.ts'

export interface Credential {
  kind: 'bearer' | 'session'
  secret: string
}

/** A key in the header wins over a cookie. */
export function readCredential(request: FastifyRequest): Credential | null {
  const header = request.headers.authorization
  if (header !== undefined) {
    // Operators may choose a key with spaces in it.
    const secret = /^bearer\s+(\S.*)$/i.exec(header.trim())?.[1]
    if (secret !== undefined) return { kind: 'bearer', secret }
    throw new Problem('unauthenticated', 'The Authorization header must be "Bearer <key>".', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  const secret = readSessionCookie(request)
  return secret === undefined ? null : { kind: 'session', secret }
}

export interface AuthenticationParts {
  context: Context
  operatorKeyHash: string
  keyCache: KeyCache
  sessionCache: SessionCache
}

/** The owner of a key that was used lately is found without a promise. */
export function findActor(
  parts: AuthenticationParts,
  { kind, secret }: Credential,
  request: FastifyRequest,
): Actor | null | Promise<Actor | null> {
  if (kind === 'session') return findPerson(parts, secret, request)
  const { context, operatorKeyHash, keyCache } = parts
  const secretHash = hashSecret(secret)
  if (isSameHash(secretHash, operatorKeyHash)) return { kind: 'operator' }
  const found = looksLikeKey(secret) ? findKeyActor(context, secretHash, keyCache) : null
  return found instanceof Promise ? found.then(orRefuse) : orRefuse(found)
}

function orRefuse(found: KeyActor | null): KeyActor {
  if (found !== null) return found
  throw unknownKey()
}

async function findPerson(
  { context, sessionCache }: AuthenticationParts,
  token: string,
  request: FastifyRequest,
): Promise<Actor | null> {
  const accountId = await requestedAccount(context, request)
  return findSessionActor(context, token, { client: clientOf(request), accountId }, sessionCache)
}

/**
 * Whether the key or session that opened a stream would still be let in, by the database. Does not extend the session, because the
 * browser could not be told.
 */
export async function isStillAuthorized(
  context: Context,
  actor: AccountActor,
  secret: string,
): Promise<boolean> {
  const current =
    actor.kind === 'key'
      ? await findKeyActor(context, hashSecret(secret))
      : await findSessionActor(context, secret, { accountId: actor.account.id, isUse: false })
  const account = current?.account
  return (
    account?.id === actor.account.id &&
    account.suspended_at === null &&
    current?.scopes.includes('read') === true
  )
}

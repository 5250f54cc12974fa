import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { FastifyRequest } from 'fastify'
import type { AccountActor, Actor } from '../../accounts/actor.ts'
import type { Context } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret, isSameHash, looksLikeKey } from '../../kernel/tokens.ts'
import { findKeyActor, type KeyCache } from '../../keys/find-key-actor.ts'
import { browserName } from '../../people/sign-in/browser-name.ts'
import { findSessionActor, type SessionCache, type SessionClient } from '../../people/sign-in/session.ts'
import { readSessionCookie } from './cookies.ts'

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

export async function findActor(
  { context, operatorKeyHash, keyCache, sessionCache }: AuthenticationParts,
  credential: Credential | null,
  {
    client,
    requestedAccount,
  }: { client: () => SessionClient; requestedAccount: () => Promise<Id<'account'> | undefined> },
): Promise<Actor | null> {
  if (credential === null) return null
  if (credential.kind === 'session') {
    const accountId = await requestedAccount()
    return findSessionActor(context, credential.secret, { client: client(), accountId }, sessionCache)
  }
  const secretHash = hashSecret(credential.secret)
  if (isSameHash(secretHash, operatorKeyHash)) return { kind: 'operator' }
  const actor = looksLikeKey(credential.secret) ? await findKeyActor(context, secretHash, keyCache) : null
  if (actor !== null) return actor
  throw new Problem('unauthenticated', 'This key is unknown, revoked or expired.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

export function clientOf(request: FastifyRequest): SessionClient {
  return { address: request.ip, browser: browserName(request.headers['user-agent']) }
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

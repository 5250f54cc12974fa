import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { toAccount } from '../../accounts/account.ts'
import type { PersonActor } from '../../accounts/actor.ts'
import type { Context, Tx } from '../../database/database.ts'
import { day, isoTime, minute } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret, newToken } from '../../kernel/tokens.ts'
import { toMembership, toPerson } from '../person.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  findSession,
  insertSession,
  type SessionUse,
  updateSession,
} from '../session-store.ts'
import { findMember, findMembership, membershipsOf } from '../store.ts'

/** A session expires when unused for this long. */
const idleLifetime = 30 * day
/** A session expires after this, even when used. */
const maxLifetime = 90 * day
/** Extends a session at most this often, to save writes. */
const extendEvery = day
const seenEvery = 10 * minute
const movedEvery = minute

export interface OpenedSession {
  token: string
  expiresAt: number
  /** For the browser to keep after the session ends: see known-devices.ts. */
  deviceToken?: string
}

/** Where a session is used from. */
export interface SessionClient {
  address: string
  browser: string
}

export async function openSession(
  tx: Tx,
  input: { personId: Id<'person'>; accountId: Id<'account'> | null; at: number },
): Promise<OpenedSession> {
  const token = newToken()
  const expiresAt = input.at + idleLifetime
  await deleteExpiredSessions(tx, input.at)
  await insertSession(tx, {
    token_hash: hashSecret(token),
    id: newId('session', input.at),
    person_id: input.personId,
    account_id: input.accountId,
    created_at: input.at,
    expires_at: expiresAt,
    last_seen_at: input.at,
    address: null,
    browser: null,
  })
  return { token, expiresAt }
}

interface SessionRequest {
  /** The requested account. */
  accountId?: Id<'account'> | undefined
  /** False reads the session without extending it. */
  isUse?: boolean
  client?: SessionClient | null
}

/**
 * The person of a session cookie, acting in the requested account. If none is requested, or the person is not a member
 * of it, they act in another one of theirs: the caller has to compare. Null without a session.
 */
export async function findSessionActor(
  { database, now }: Context,
  token: string,
  { accountId, isUse = true, client = null }: SessionRequest = {},
): Promise<PersonActor | null> {
  const tokenHash = hashSecret(token)
  const at = now()
  const row = await findSession(database.read, tokenHash, at)
  if (row === undefined) return null
  const use = isUse ? sessionUpdate(row, client, at) : {}
  // Written later, so that people stay signed in while the database is read-only. A cookie that outlives its session
  // does no harm.
  if (Object.keys(use).length > 0) {
    database.writeLater(`use of ${row.id}`, (tx) => updateSession(tx, tokenHash, use))
  }
  const prolonged = use.expires_at !== undefined
  const expiresAt = use.expires_at ?? row.expires_at
  const membership = await findMembership(database.read, row.person_id, accountId ?? row.account_id)
  return {
    kind: 'person',
    account: membership?.account ?? null,
    person: toPerson({ id: row.person_id, name: row.name, email: row.email, operator: row.operator }),
    role: membership?.role ?? null,
    scopes: membership === undefined ? [] : roles[membership.role].scopes,
    session: { id: row.id, tokenHash, expiresAt, prolonged },
  }
}

interface UsedSession
  extends Required<Pick<SessionUse, 'last_seen_at' | 'address' | 'browser' | 'expires_at'>> {
  created_at: number
}

/** What using the session now changes about its row. */
export function sessionUpdate(row: UsedSession, client: SessionClient | null, at: number): SessionUse {
  const latest = Math.min(at + idleLifetime, row.created_at + maxLifetime)
  const isDue = row.expires_at < latest && row.expires_at < at + idleLifetime - extendEvery
  const extension = isDue ? { expires_at: latest } : {}
  const hasMoved = client !== null && (client.address !== row.address || client.browser !== row.browser)
  const isStale = at - row.last_seen_at >= (hasMoved ? movedEvery : seenEvery)
  if (!isStale && !isDue && !(hasMoved && row.address === null)) return {}
  return { ...extension, last_seen_at: at, ...(client ?? {}) }
}

export async function describeSession({ database }: Context, actor: PersonActor): Promise<Session> {
  return {
    person: actor.person,
    account: actor.account === null ? null : toAccount(actor.account),
    role: actor.role,
    accounts: (await membershipsOf(database.read, actor.person.id)).map(toMembership),
    expiresAt: isoTime(actor.session.expiresAt),
  }
}

export async function hasSeveralAccounts({ database }: Context, { person }: PersonActor): Promise<boolean> {
  return (await membershipsOf(database.read, person.id)).length > 1
}

export async function setDefaultAccount(
  { database }: Context,
  actor: PersonActor,
  accountId: Id<'account'>,
): Promise<void> {
  await database.write(async (tx) => {
    if ((await findMember(tx, accountId, actor.person.id)) === undefined) {
      throw new Problem('not_found', `You are not a member of an account ${accountId}.`)
    }
    await updateSession(tx, actor.session.tokenHash, { account_id: accountId })
  })
}

export async function closeSession({ database }: Context, actor: PersonActor): Promise<void> {
  await database.write((tx) => deleteSession(tx, actor.session.tokenHash))
}

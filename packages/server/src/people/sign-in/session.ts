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

/** A session that is not used ends after this. */
const idleLifetime = 30 * day
/** However much it is used, a session ends after this. */
const longestLifetime = 90 * day
/** A session in use is prolonged, but not written at every request. */
const prolongEvery = day
const seenEvery = 10 * minute
const movedEvery = minute

export interface OpenedSession {
  token: string
  expiresAt: number
  /** For the browser to keep beyond the session, where somebody signed in: see known-devices.ts. */
  deviceToken?: string
}

/** Who uses a session, as far as a request tells. */
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
  /** The account that it means. */
  accountId?: Id<'account'> | undefined
  /** A use prolongs the session; it can also be only looked at. */
  isUse?: boolean
  client?: SessionClient | null
}

/**
 * The person a session cookie stands for, in the account that is meant. Where they do not belong to it, or none is
 * meant, they act in another one of theirs: whoever asks has to compare. Null without a session.
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
  // Who is known stays known while nothing can be written. A cookie that outlives its session does no harm.
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

/** What a use at this moment changes about a session. */
export function sessionUpdate(row: UsedSession, client: SessionClient | null, at: number): SessionUse {
  const latest = Math.min(at + idleLifetime, row.created_at + longestLifetime)
  const isDue = row.expires_at < latest && row.expires_at < at + idleLifetime - prolongEvery
  const prolonged = isDue ? { expires_at: latest } : {}
  const hasMoved = client !== null && (client.address !== row.address || client.browser !== row.browser)
  const isStale = at - row.last_seen_at >= (hasMoved ? movedEvery : seenEvery)
  if (!isStale && !isDue && !(hasMoved && row.address === null)) return {}
  return { ...prolonged, last_seen_at: at, ...(client ?? {}) }
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
      throw new Problem('not_found', `You do not belong to an account ${accountId}.`)
    }
    await updateSession(tx, actor.session.tokenHash, { account_id: accountId })
  })
}

export async function closeSession({ database }: Context, actor: PersonActor): Promise<void> {
  await database.write((tx) => deleteSession(tx, actor.session.tokenHash))
}

import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { type Role, roles } from '@masthead/contract/scopes.ts'
import { type AccountRow, accountOf, toAccount } from '../../accounts/account.ts'
import type { PersonActor } from '../../accounts/actor.ts'
import type { Context, Database, Tx } from '../../database/database.ts'
import type { ChangeFeed } from '../../events/change-feed.ts'
import { CurrentCache } from '../../events/current-cache.ts'
import { day, isoTime, minute } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret, newToken } from '../../kernel/tokens.ts'
import { toMembership, toPerson } from '../person.ts'
import {
  deleteExpiredSessions,
  deleteSessionOf,
  findSession,
  insertSession,
  type SessionUse,
  setAccountOfSession,
  updateSession,
} from '../session-store.ts'
import { findAccountsOf, findMember, membershipsOf } from '../store.ts'

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
  input: {
    personId: Id<'person'>
    accountId: Id<'account'> | null
    at: number
    client?: SessionClient | undefined
  },
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
    address: input.client?.address ?? null,
    browser: input.client?.browser ?? null,
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

interface FoundSession {
  /** Its last use is kept up to date. */
  row: Awaited<ReturnType<typeof findSession>>[number]
  memberships: { account: AccountRow; role: Role }[]
}

export type SessionCache = CurrentCache<FoundSession>

/** Nobody's sessions may fill the memory. */
const maxMemberships = 100

export function createSessionCache(changes: Pick<ChangeFeed, 'isCurrent' | 'subscribe'>): SessionCache {
  return new CurrentCache<FoundSession>(changes, {
    kind: 'access',
    maxWeight: 5_000,
    subjectsOf: ({ row, memberships }) =>
      memberships.length > maxMemberships
        ? null
        : [row.person_id, ...memberships.map(({ account }) => account.id)],
  })
}

/**
 * The person of a session cookie, acting in the requested account. If none is requested, or the person is not a member
 * of it, they act in another one of theirs: the caller has to compare. Null without a session.
 */
export async function findSessionActor(
  { database, now }: Context,
  token: string,
  { accountId, isUse = true, client = null }: SessionRequest = {},
  cache: SessionCache | null = null,
): Promise<PersonActor | null> {
  const tokenHash = hashSecret(token)
  const load = () => loadSession(database, tokenHash)
  const found = await (cache === null ? load() : cache.get(tokenHash, load))
  const at = now()
  if (found === null || found.row.expires_at <= at) return null
  const { row, memberships } = found
  const use = isUse ? sessionUpdate(row, client, at) : {}
  // Written later, so that people stay signed in while the database is read-only. A cookie that outlives its session
  // does no harm.
  if (Object.keys(use).length > 0) {
    Object.assign(row, use)
    database.writeLater(`use of ${row.id}`, (tx) => updateSession(tx, tokenHash, use))
  }
  const wanted = accountId ?? row.account_id
  const membership = memberships.find(({ account }) => account.id === wanted) ?? memberships[0]
  return {
    kind: 'person',
    account: membership?.account ?? null,
    hasSeveralAccounts: memberships.length > 1,
    person: toPerson({ id: row.person_id, name: row.name, email: row.email, operator: row.operator }),
    role: membership?.role ?? null,
    scopes: membership === undefined ? [] : roles[membership.role].scopes,
    session: { id: row.id, tokenHash, expiresAt: row.expires_at, prolonged: use.expires_at !== undefined },
  }
}

async function loadSession(database: Database, tokenHash: string): Promise<FoundSession | null> {
  const [row] = await findSession(database, { tokenHash })
  if (row === undefined) return null
  const accounts = await findAccountsOf(database, { personId: row.person_id })
  return {
    row,
    memberships: accounts.map((account) => ({
      account: Object.freeze(accountOf(account)),
      role: account.role,
    })),
  }
}

interface UsedSession
  extends Required<Pick<SessionUse, 'last_seen_at' | 'address' | 'browser' | 'expires_at'>> {
  created_at: number
}

/** What using the session now changes about its row. */
function sessionUpdate(row: UsedSession, client: SessionClient | null, at: number): SessionUse {
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

export async function setDefaultAccount(
  { database }: Context,
  actor: PersonActor,
  accountId: Id<'account'>,
): Promise<void> {
  await database.write(async (tx) => {
    if ((await findMember(tx, accountId, actor.person.id)) === undefined) {
      throw new Problem('not_found', `You are not a member of an account ${accountId}.`)
    }
    const { person, session } = actor
    await setAccountOfSession(tx, { id: session.id, person_id: person.id, account_id: accountId })
  })
}

export async function closeSession({ database }: Context, actor: PersonActor): Promise<void> {
  await database.write((tx) => deleteSessionOf(tx, actor.person.id, actor.session.id))
}

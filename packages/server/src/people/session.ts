import type { Id } from '@masthead/contract/ids.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { toAccount } from '../accounts/account.ts'
import type { PersonActor } from '../accounts/actor.ts'
import { day, isoTime } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { Tx } from '../database/database.ts'
import { Problem } from '../problem.ts'
import { hashSecret, newToken } from '../secrets.ts'
import { toPerson } from './person.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  findMember,
  findSession,
  insertSession,
  membershipsOf,
  updateSession,
} from './store.ts'

const lifetime = 30 * day
/** A session in use is prolonged, but not written at every request. */
const prolongEvery = day

export interface OpenedSession {
  token: string
  expiresAt: number
}

export async function openSession(
  tx: Tx,
  input: { personId: Id<'person'>; accountId: Id<'account'>; at: number },
): Promise<OpenedSession> {
  const token = newToken()
  const expiresAt = input.at + lifetime
  await deleteExpiredSessions(tx, input.at)
  await insertSession(tx, {
    token_hash: hashSecret(token),
    person_id: input.personId,
    account_id: input.accountId,
    created_at: input.at,
    expires_at: expiresAt,
  })
  return { token, expiresAt }
}

/** The person a session cookie stands for, or null. Unless it is only looked at, this is a use that prolongs it. */
export async function findSessionActor(
  { database, now }: Context,
  token: string,
  { isUse = true } = {},
): Promise<PersonActor | null> {
  const tokenHash = hashSecret(token)
  const row = await findSession(database.read, tokenHash, now())
  if (row === undefined) return null
  const prolonged = isUse && row.expires_at < now() + lifetime - prolongEvery
  const expiresAt = prolonged ? now() + lifetime : row.expires_at
  if (prolonged) {
    await database.write((tx) => updateSession(tx, tokenHash, { expires_at: expiresAt }))
  }
  const { id, name, plan, limit_per_minute, limit_per_day, limit_domains, created_at } = row
  return {
    kind: 'person',
    account: { id, name, plan, limit_per_minute, limit_per_day, limit_domains, created_at },
    person: toPerson({ id: row.person_id, name: row.person_name, email: row.email, operator: row.operator }),
    role: row.role,
    scopes: roles[row.role].scopes,
    session: { tokenHash, expiresAt, prolonged },
  }
}

export async function describeSession({ database }: Context, actor: PersonActor): Promise<Session> {
  return {
    person: actor.person,
    account: toAccount(actor.account),
    role: actor.role,
    accounts: await membershipsOf(database.read, actor.person.id),
    expiresAt: isoTime(actor.session.expiresAt),
  }
}

export async function switchAccount(
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

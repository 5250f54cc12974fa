import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Selectable } from 'kysely'
import { compileOnce } from '../database/compile-once.ts'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'

export type SessionRow = Selectable<Schema['sessions']>
export type SessionUse = Partial<Pick<SessionRow, 'expires_at' | 'last_seen_at' | 'address' | 'browser'>>

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insertInto('sessions').values(row).execute()
}

/** A session with its person, expired or not. */
export const findSession = compileOnce((db, { tokenHash }: { tokenHash: string }) =>
  db
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'sessions.person_id')
    .selectAll('sessions')
    .select(['people.name', 'people.email', 'people.operator'])
    .where('sessions.token_hash', '=', tokenHash),
)

/** A session of a member of this account, expired or not. */
export const findMemberSession = compileOnce(
  (db, { person, session, accountId }: { person: string; session: string; accountId: string }) =>
    db
      .selectFrom('sessions')
      .innerJoin('members', 'members.person_id', 'sessions.person_id')
      .select('sessions.expires_at')
      .where('sessions.id', '=', session as Id<'session'>)
      .where('sessions.person_id', '=', person as Id<'person'>)
      .where('members.account_id', '=', accountId as Id<'account'>),
)

export async function updateSession(tx: Tx, tokenHash: string, use: SessionUse): Promise<void> {
  await tx.updateTable('sessions').set(use).where('token_hash', '=', tokenHash).execute()
}

export async function setAccountOfSession(
  tx: Tx,
  { id, person_id, account_id }: Pick<SessionRow, 'id' | 'person_id' | 'account_id'>,
): Promise<void> {
  noteChange(tx, 'access', person_id)
  await tx.updateTable('sessions').set({ account_id }).where('id', '=', id).execute()
}

export async function deleteExpiredSessions(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}

export function sessionsBefore(
  db: Reader,
  personId: Id<'person'>,
  now: number,
  before: string | undefined,
  limit: number,
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('person_id', '=', personId)
    .where('expires_at', '>', now)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'session'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function hasSession(tx: Tx, personId: Id<'person'>, id: Id<'session'>): Promise<boolean> {
  const row = await tx
    .selectFrom('sessions')
    .select('id')
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** False: the person has no such session. */
export async function deleteSessionOf(tx: Tx, personId: Id<'person'>, id: Id<'session'>): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (deleted !== undefined) noteChange(tx, 'access', personId)
  return deleted !== undefined
}

/** Deletes all sessions of a person except `kept`, and returns how many there were. */
export async function deleteOtherSessions(
  tx: Tx,
  personId: Id<'person'>,
  kept: Id<'session'> | null,
): Promise<number> {
  const deleted = await tx
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .$if(kept !== null, (query) => query.where('id', '!=', kept as Id<'session'>))
    .returning('id')
    .execute()
  if (deleted.length > 0) noteChange(tx, 'access', personId)
  return deleted.length
}

export function readAttempts(db: Reader, subjects: string[]) {
  return db.selectFrom('attempts').selectAll().where('subject', 'in', subjects).execute()
}

export async function addAttempt(tx: Tx, subject: string, at: number): Promise<void> {
  await tx
    .insertInto('attempts')
    .values({ subject, failures: 1, last_at: at })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet((e) => ({ failures: e('attempts.failures', '+', 1), last_at: at })),
    )
    .execute()
}

export async function undoAttempts(tx: Tx, subject: string, times: number): Promise<void> {
  await tx
    .updateTable('attempts')
    .set((e) => ({
      failures: e
        .case()
        .when('failures', '>', times)
        .then(e('failures', '-', times))
        .else(0)
        .end(),
    }))
    .where('subject', '=', subject)
    .execute()
}

export async function deleteAttempts(tx: Tx, subject: string): Promise<void> {
  await tx.deleteFrom('attempts').where('subject', '=', subject).execute()
}

export async function deleteAttemptsBefore(tx: Tx, at: number): Promise<void> {
  await tx.deleteFrom('attempts').where('last_at', '<', at).execute()
}

export async function isKnownNetwork(db: Reader, personId: Id<'person'>, network: string): Promise<boolean> {
  const row = await db
    .selectFrom('known_networks')
    .select('last_at')
    .where('person_id', '=', personId)
    .where('network', '=', network)
    .executeTakeFirst()
  return row !== undefined
}

export async function saveNetwork(tx: Tx, row: Selectable<Schema['known_networks']>): Promise<void> {
  await tx
    .insertInto('known_networks')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['person_id', 'network']).doUpdateSet({ last_at: row.last_at }),
    )
    .execute()
}

export async function forgetNetworks(
  tx: Tx,
  personId: Id<'person'>,
  { before, beyond }: { before: number; beyond: number },
): Promise<void> {
  const latest = tx
    .selectFrom('known_networks')
    .select('network')
    .where('person_id', '=', personId)
    .where('last_at', '>=', before)
    .orderBy('last_at', 'desc')
    .orderBy('network')
    .limit(beyond)
  await tx
    .deleteFrom('known_networks')
    .where('person_id', '=', personId)
    .where('network', 'not in', latest)
    .execute()
}

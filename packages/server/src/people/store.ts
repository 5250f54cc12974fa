import type { Id } from '@masthead/contract/ids.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import type { Insertable, Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type PersonRow = Selectable<Schema['people']>
export type SessionRow = Selectable<Schema['sessions']>
export type MemberRow = Pick<PersonRow, 'id' | 'name' | 'email'> & { role: Role; joined_at: number }

export async function insertPerson(tx: Tx, row: PersonRow): Promise<void> {
  await tx.insertInto('people').values(row).execute()
}

export function findPersonByEmail(db: Reader, email: string): Promise<PersonRow | undefined> {
  return db.selectFrom('people').selectAll().where('email', '=', email).executeTakeFirst()
}

export async function anyOperator(db: Reader): Promise<boolean> {
  const query = db.selectFrom('people').select('id').where('operator', '=', 1).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

export async function insertMember(tx: Tx, row: Insertable<Schema['members']>): Promise<void> {
  await tx.insertInto('members').values(row).execute()
}

/** The accounts of a person, the one joined first first. */
export function membershipsOf(db: Reader, personId: Id<'person'>) {
  return db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['accounts.id', 'accounts.name', 'members.role'])
    .where('members.person_id', '=', personId)
    .orderBy('members.joined_at')
    .orderBy('accounts.id')
    .execute()
}

export function membersAfter(
  db: Reader,
  accountId: Id<'account'>,
  after: string | undefined,
  limit: number,
): Promise<MemberRow[]> {
  return members(db, accountId)
    .$if(after !== undefined, (query) => query.where('people.id', '>', after as Id<'person'>))
    .orderBy('people.id')
    .limit(limit)
    .execute()
}

export function findMember(
  db: Reader,
  accountId: Id<'account'>,
  personId: Id<'person'>,
): Promise<MemberRow | undefined> {
  return members(db, accountId).where('people.id', '=', personId).executeTakeFirst()
}

export async function countOwners(tx: Tx, accountId: Id<'account'>): Promise<number> {
  const rows = await tx
    .selectFrom('members')
    .select('person_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .execute()
  return rows.length
}

export async function setRole(tx: Tx, accountId: Id<'account'>, personId: Id<'person'>, role: Role) {
  await tx
    .updateTable('members')
    .set({ role })
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .execute()
}

/** Removes the membership and every session that acted in the account. */
export async function deleteMember(tx: Tx, accountId: Id<'account'>, personId: Id<'person'>): Promise<void> {
  for (const table of ['members', 'sessions'] as const) {
    await tx.deleteFrom(table).where('account_id', '=', accountId).where('person_id', '=', personId).execute()
  }
}

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insertInto('sessions').values(row).execute()
}

/** A session that has not expired, with its person, account and role: one query for every signed-in request. */
export function findSession(db: Reader, tokenHash: string, now: number) {
  return db
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'sessions.person_id')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .innerJoin('members', (join) =>
      join
        .onRef('members.account_id', '=', 'sessions.account_id')
        .onRef('members.person_id', '=', 'sessions.person_id'),
    )
    .selectAll('accounts')
    .select([
      'sessions.expires_at',
      'members.role',
      'people.id as person_id',
      'people.name as person_name',
      'people.email',
      'people.operator',
    ])
    .where('sessions.token_hash', '=', tokenHash)
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst()
}

export async function updateSession(
  tx: Tx,
  tokenHash: string,
  change: { account_id?: Id<'account'>; expires_at?: number },
): Promise<void> {
  await tx.updateTable('sessions').set(change).where('token_hash', '=', tokenHash).execute()
}

export async function deleteSession(tx: Tx, tokenHash: string): Promise<void> {
  await tx.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute()
}

export async function deleteExpiredSessions(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}

function members(db: Reader, accountId: Id<'account'>) {
  return db
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.person_id')
    .select(['people.id', 'people.name', 'people.email', 'members.role', 'members.joined_at'])
    .where('members.account_id', '=', accountId)
}

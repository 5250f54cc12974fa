import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import type { Insertable, Selectable } from 'kysely'
import { compileOnce } from '../database/compile-once.ts'
import type { Database, Reader, Tx } from '../database/database.ts'
import { containsText } from '../database/list-query.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'

export type PersonRow = Selectable<Schema['people']>
export type MemberRow = Pick<PersonRow, 'id' | 'name' | 'email'> & { role: Role; joined_at: number }

export async function insertPerson(tx: Tx, row: PersonRow): Promise<void> {
  await tx.insertInto('people').values(row).execute()
}

export function findPersonByEmail(db: Reader, email: string): Promise<PersonRow | undefined> {
  return db.selectFrom('people').selectAll().where('email', '=', email).executeTakeFirst()
}

export function findPerson(db: Reader, id: Id<'person'>): Promise<PersonRow | undefined> {
  return db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locked until the transaction ends, so that the password stays the same. */
export function lockPerson(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  id: Id<'person'>,
): Promise<PersonRow | undefined> {
  const row = tx.selectFrom('people').selectAll().where('id', '=', id)
  return (dialect === 'postgres' ? row.forNoKeyUpdate() : row).executeTakeFirst()
}

export async function updatePerson(
  tx: Tx,
  id: Id<'person'>,
  change: Partial<Pick<PersonRow, 'name' | 'email' | 'password_hash' | 'operator'>>,
): Promise<void> {
  noteChange(tx, 'access', id)
  await tx.updateTable('people').set(change).where('id', '=', id).execute()
}

export async function hasOperator(db: Reader): Promise<boolean> {
  const query = db.selectFrom('people').select('id').where('operator', '=', 1).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

export async function countOperators(tx: Tx): Promise<number> {
  const rows = await tx.selectFrom('people').select('id').where('operator', '=', 1).execute()
  return rows.length
}

export async function insertMember(tx: Tx, row: Insertable<Schema['members']>): Promise<void> {
  noteChange(tx, 'access', row.person_id)
  await tx.insertInto('members').values(row).execute()
}

export type MembershipRow = Awaited<ReturnType<typeof membershipsOf>>[number]

/** In the order in which the person joined them. */
export function membershipsOf(db: Reader, personId: Id<'person'>) {
  return db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select([
      'accounts.id',
      'accounts.name',
      'accounts.suspended_at',
      'accounts.suspended_reason',
      'members.role',
    ])
    .where('members.person_id', '=', personId)
    .where('accounts.deleted_at', 'is', null)
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
  noteChange(tx, 'access', personId)
  await tx
    .updateTable('members')
    .set({ role })
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .execute()
}

/** Takes effect in every session at once: all rights in the account derive from this row. */
export async function deleteMember(tx: Tx, accountId: Id<'account'>, personId: Id<'person'>): Promise<void> {
  noteChange(tx, 'access', personId)
  await tx
    .deleteFrom('members')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .execute()
}

export async function deleteMembers(tx: Tx, accountId: Id<'account'>): Promise<void> {
  noteChange(tx, 'access', accountId)
  await tx.deleteFrom('members').where('account_id', '=', accountId).execute()
}

function members(db: Reader, accountId: Id<'account'>) {
  return db
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.person_id')
    .select(['people.id', 'people.name', 'people.email', 'members.role', 'members.joined_at'])
    .where('members.account_id', '=', accountId)
}

export function peopleBefore(
  database: Pick<Database, 'dialect' | 'read'>,
  { before, search, limit }: { before: string | undefined; search: string | undefined; limit: number },
) {
  let query = database.read.selectFrom('people').selectAll().orderBy('id', 'desc').limit(limit)
  if (before !== undefined) query = query.where('id', '<', before as Id<'person'>)
  if (search !== undefined) {
    query = query.where((e) =>
      e.or([containsText(database, 'name', search), containsText(database, 'email', search)]),
    )
  }
  return query.execute()
}

export async function accountsOfPeople(db: Reader, people: Id<'person'>[]) {
  if (people.length === 0) return []
  return db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['members.person_id', 'accounts.id', 'accounts.name'])
    .where('members.person_id', 'in', people)
    .orderBy('members.joined_at')
    .execute()
}

/** With the accounts in full, in the order in which the person joined them. */
export const findAccountsOf = compileOnce((db, { personId }: { personId: Id<'person'> }) =>
  db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .selectAll('accounts')
    .select('members.role')
    .where('members.person_id', '=', personId)
    .where('accounts.deleted_at', 'is', null)
    .orderBy('members.joined_at')
    .orderBy('accounts.id'),
)

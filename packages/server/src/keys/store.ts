import type { Id } from '@masthead/contract/ids.ts'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type KeyRow = Selectable<Schema['keys']>

export async function insertKey(tx: Tx, row: KeyRow): Promise<void> {
  await tx.insertInto('keys').values(row).execute()
}

export function keysBefore(
  db: Reader,
  accountId: Id<'account'>,
  before: string | undefined,
  limit: number,
): Promise<KeyRow[]> {
  return db
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'key'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** A key that has not expired, with its account and the role of the person it acts for: one query for every request. */
export function findKeyBySecret(db: Reader, secretHash: string, now: number) {
  return db
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .leftJoin('members', (join) =>
      join
        .onRef('members.account_id', '=', 'keys.account_id')
        .onRef('members.person_id', '=', 'keys.person_id'),
    )
    .selectAll('accounts')
    .select(['keys.id as key_id', 'keys.name as key_name', 'keys.scopes', 'keys.last_used_at'])
    .select(['keys.person_id', 'keys.responsible_id', 'keys.expires_at as key_expires_at', 'members.role'])
    .where('keys.secret_hash', '=', secretHash)
    .where((e) => e.or([e('keys.expires_at', 'is', null), e('keys.expires_at', '>', now)]))
    .executeTakeFirst()
}

export async function setLastUsed(tx: Tx, id: Id<'key'>, at: number): Promise<void> {
  await tx.updateTable('keys').set({ last_used_at: at }).where('id', '=', id).execute()
}

export function deleteKey(tx: Tx, accountId: Id<'account'>, id: Id<'key'>): Promise<KeyRow | undefined> {
  return tx
    .deleteFrom('keys')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** The keys that a person answers for, those that act for them included. */
export function keysOfPerson(tx: Tx, accountId: Id<'account'>, personId: Id<'person'>): Promise<KeyRow[]> {
  return tx
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('responsible_id', '=', personId)
    .orderBy('id')
    .execute()
}

export async function handKeyOver(tx: Tx, id: Id<'key'>, to: Id<'person'> | null): Promise<void> {
  await tx.updateTable('keys').set({ responsible_id: to }).where('id', '=', id).execute()
}

export function keyNames(db: Reader, accountId: Id<'account'>) {
  return db.selectFrom('keys').select(['id', 'name']).where('account_id', '=', accountId).execute()
}

export function findKey(db: Reader, id: Id<'key'>): Promise<KeyRow | undefined> {
  return db.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function deleteKeys(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await tx.deleteFrom('keys').where('account_id', '=', accountId).execute()
}

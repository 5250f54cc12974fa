import type { Id } from '@masthead/contract/ids.ts'
import type { Insertable, Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { AccountRow } from './account.ts'

export async function insertAccount(tx: Tx, row: Insertable<Schema['accounts']>): Promise<void> {
  await tx.insertInto('accounts').values(row).execute()
}

export function findAccount(db: Reader, id: Id<'account'>): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export function firstAccount(db: Reader): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export function updateAccount(
  tx: Tx,
  id: Id<'account'>,
  change: Updateable<Schema['accounts']>,
): Promise<AccountRow | undefined> {
  return tx.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Accounts that were deleted up to a moment, a few at a time. */
export async function accountsDeletedBefore(db: Reader, at: number, limit: number): Promise<Id<'account'>[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('deleted_at', '<=', at)
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteAccountRow(tx: Tx, id: Id<'account'>): Promise<void> {
  await tx.deleteFrom('accounts').where('id', '=', id).execute()
}

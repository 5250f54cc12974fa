import type { Selectable, Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type LoginRow = Selectable<Schema['logins']>

export async function insertLogin(tx: Tx, row: LoginRow): Promise<void> {
  await tx.deleteFrom('logins').where('expires_at', '<=', row.created_at).execute()
  await tx.insertInto('logins').values(row).execute()
}

export function findPendingLogin(db: Reader, code: string, now: number): Promise<LoginRow | undefined> {
  return db
    .selectFrom('logins')
    .selectAll()
    .where('code', '=', code)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export function findLoginBySecret(
  db: Reader,
  secretHash: string,
  now: number,
): Promise<LoginRow | undefined> {
  return db
    .selectFrom('logins')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** False: it has expired, or was decided by somebody else in the meantime. */
export async function decideLogin(
  tx: Tx,
  code: string,
  now: number,
  change: Updateable<Schema['logins']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('logins')
    .set(change)
    .where('code', '=', code)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** False: it was claimed already. */
export async function deleteLogin(tx: Tx, code: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('logins').where('code', '=', code).executeTakeFirst()
  return numDeletedRows === 1n
}

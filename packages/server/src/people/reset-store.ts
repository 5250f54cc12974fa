import type { Id } from '@masthead/contract/ids.ts'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type ResetRow = Selectable<Schema['password_resets']>

export async function replaceReset(tx: Tx, row: ResetRow): Promise<void> {
  await deleteResetOf(tx, row.person_id)
  await tx.insertInto('password_resets').values(row).execute()
}

export function findReset(db: Reader, tokenHash: string, now: number): Promise<ResetRow | undefined> {
  return db
    .selectFrom('password_resets')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Takes a link out, so that it works once. False: somebody was quicker. */
export async function takeReset(tx: Tx, tokenHash: string): Promise<boolean> {
  const taken = await tx
    .deleteFrom('password_resets')
    .where('token_hash', '=', tokenHash)
    .returning('person_id')
    .executeTakeFirst()
  return taken !== undefined
}

export async function deleteResetOf(tx: Tx, personId: Id<'person'>): Promise<void> {
  await tx.deleteFrom('password_resets').where('person_id', '=', personId).execute()
}

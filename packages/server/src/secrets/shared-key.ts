import { type Context, lock, type Reader, type Tx } from '../database/database.ts'
import type { SealedColumn, Sealing } from './sealing.ts'

/** The tables with one row: a sealed key that all processes share. */
type KeyTable = 'operator_key' | 'site_key'

const rowId = 'shared'

export interface SharedKey {
  table: KeyTable
  /** What is being sealed. Also names the lock. */
  purpose: string
}

export function sealedColumnOf({ table, purpose }: SharedKey): SealedColumn {
  return { table, column: 'sealed_key', key: 'id', purpose: () => purpose }
}

/** The key. The first process creates it. */
export async function openSharedKey(
  { database, now, sealing }: Context & { sealing: Sealing },
  { table, purpose }: SharedKey,
  create: () => string | Buffer,
): Promise<Buffer> {
  const sealed =
    (await findSharedKey(database.read, table)) ??
    (await database.write(async (tx) => {
      await lock(database, tx, purpose)
      const existing = await findSharedKey(tx, table)
      if (existing !== null) return existing
      const sealed_key = sealing.seal(create(), purpose)
      await putSharedKey(tx, table, { sealed_key, created_at: now() })
      return sealed_key
    }))
  return sealing.open(sealed, purpose)
}

export async function findSharedKey(db: Reader, table: KeyTable): Promise<string | null> {
  const row = await db.selectFrom(table).select('sealed_key').where('id', '=', rowId).executeTakeFirst()
  return row?.sealed_key ?? null
}

export async function putSharedKey(
  tx: Tx,
  table: KeyTable,
  row: { sealed_key: string; created_at: number },
): Promise<void> {
  await tx
    .insertInto(table)
    .values({ id: rowId, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export async function deleteSharedKey(tx: Tx, table: KeyTable): Promise<void> {
  await tx.deleteFrom(table).where('id', '=', rowId).execute()
}

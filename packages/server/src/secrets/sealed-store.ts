import { sql } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { SealedColumn } from './sealing.ts'

export interface SealedRow {
  key: string
  sealed: string
}

/** The next page of rows, ordered by key. */
export async function sealedRowsAfter(
  db: Reader,
  { table, column, key }: SealedColumn,
  after: string,
  most: number,
): Promise<SealedRow[]> {
  const [name, value] = [sql.ref(key), sql.ref(column)]
  const { rows } = await sql<SealedRow>`
    select ${name} as key, ${value} as sealed from ${sql.table(table)}
    where ${name} > ${after} and ${value} is not null order by ${name} limit ${most}`.execute(db)
  return rows
}

/** Only if the value has not changed in the meantime. */
export async function replaceSealed(
  tx: Tx,
  { table, column, key }: SealedColumn,
  row: SealedRow,
  sealed: string | null,
): Promise<void> {
  const [name, value] = [sql.ref(key), sql.ref(column)]
  await sql`
    update ${sql.table(table)} set ${value} = ${sealed}
    where ${name} = ${row.key} and ${value} = ${row.sealed}`.execute(tx)
}

const checkId = 'check'

export async function findMasterKeyCheck(db: Reader): Promise<string | null> {
  const row = await db
    .selectFrom('master_key_check')
    .select('sealed')
    .where('id', '=', checkId)
    .executeTakeFirst()
  return row?.sealed ?? null
}

export async function insertMasterKeyCheck(tx: Tx, sealed: string): Promise<void> {
  await tx.insertInto('master_key_check').values({ id: checkId, sealed }).execute()
}

export async function replaceMasterKeyCheck(tx: Tx, sealed: string): Promise<void> {
  await tx.updateTable('master_key_check').set({ sealed }).where('id', '=', checkId).execute()
}

import type { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import type { CopiedTable } from './tables.ts'

export type RowValue = null | string | number | bigint | boolean | Uint8Array
export type TableRow = Readonly<Record<string, RowValue>>

/** Rows that were read together. Reading can go on after `position`. */
export interface RowBatch {
  rows: TableRow[]
  position: number
}

/** Reads the same rows from both databases. */
export interface RowReader {
  /** Without generated columns, sorted by name. Empty if there is no such table. */
  columns(table: string): Promise<string[]>
  count(table: CopiedTable): Promise<number>
  batches(table: CopiedTable, columns: readonly string[], after?: number): AsyncIterable<RowBatch>
}

/** Rows may have long texts, so not too many are in memory at once. */
const batchSize = 500

/** Positions are row ids, which stay as long as nobody writes. */
export function sqliteReader(database: DatabaseSync): RowReader {
  return {
    async columns(table) {
      const rows = database.prepare('select name from pragma_table_xinfo(?) where hidden = 0').all(table)
      return rows.map(({ name }) => String(name)).sort()
    },
    async count({ name, condition }) {
      const row = database.prepare(`select count(*) as rows from ${quote(name)} where ${condition}`).get()
      return Number(row?.rows)
    },
    async *batches({ name, condition }, columns, after = 0) {
      const list = columns.map(quote).join()
      const next = database.prepare(
        `select rowid as "row id", ${list} from ${quote(name)} where rowid > ? and ${condition} order by rowid limit ${batchSize}`,
      )
      for (let position = after; ; ) {
        const found = next.all(position) as Record<string, RowValue>[]
        if (found.length === 0) return
        position = Number(found.at(-1)?.['row id'])
        for (const row of found) delete row['row id']
        yield { rows: found, position }
      }
    },
  }
}

/** Reads through a cursor, so inside a transaction. Positions are counts of rows, and only reading from the start works. */
export function postgresReader(client: Client): RowReader {
  return {
    async columns(table) {
      const { rows } = await client.query<{ name: string }>(
        `select attname as name from pg_attribute
         where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      )
      return rows.map(({ name }) => name).sort()
    },
    async count({ name, condition }) {
      const { rows } = await client.query<{ rows: number }>(
        `select count(*) as rows from ${quote(name)} where ${condition}`,
      )
      return Number(rows[0]?.rows)
    },
    async *batches({ name, condition }, columns) {
      const list = columns.map(quote).join()
      await client.query(
        `declare copied_rows cursor for select ${list} from ${quote(name)} where ${condition}`,
      )
      for (let position = 0; ; ) {
        const { rows } = await client.query<TableRow>(`fetch ${batchSize} from copied_rows`)
        if (rows.length === 0) break
        position += rows.length
        yield { rows, position }
      }
      await client.query('close copied_rows')
    },
  }
}

export function quote(name: string): string {
  return `"${name}"`
}

import { hash } from 'node:crypto'
import type { RowReader, RowValue, TableRow } from './row-reader.ts'
import { type CopiedTable, copiedTables } from './tables.ts'

/** How many rows a table has, and a digest of them that is the same in both databases. */
export interface TableDigest {
  rows: number
  digest: string
}

export type TableDigests = Record<string, TableDigest>

const words = 8

/** The sum of SHA-256 digests: databases and folders sort differently, so the order must not matter. */
export class UnorderedDigest {
  count = 0
  readonly #sum = new Uint32Array(words)

  add(text: string): void {
    const digest = hash('sha256', text, 'buffer')
    for (let i = 0; i < words; i++) {
      this.#sum[i] = (this.#sum[i] ?? 0) + digest.readUInt32LE(i * 4)
    }
    this.count++
  }

  result(): string {
    return Buffer.from(this.#sum.buffer).toString('hex')
  }
}

/** Flags are numbers in one database and may be booleans in the other. */
function canonicalRow(columns: readonly string[], row: TableRow): string {
  return JSON.stringify(columns.map((column) => [column, canonicalValue(row[column])]))
}

function canonicalValue(value: RowValue | undefined): string | number | null | { bytes: string } {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  return value
}

async function digestTable(
  reader: RowReader,
  table: CopiedTable,
  advance: (rows: number) => void = () => {},
): Promise<TableDigest> {
  const digest = new UnorderedDigest()
  const columns = await reader.columns(table.name)
  const batches = columns.length === 0 ? [] : reader.batches(table, columns)
  for await (const { rows } of batches) {
    for (const row of rows) digest.add(canonicalRow(columns, row))
    advance(rows.length)
  }
  return { rows: digest.count, digest: digest.result() }
}

export async function digestTables(
  reader: RowReader,
  advance: (rows: number) => void = () => {},
): Promise<TableDigests> {
  const digests: TableDigests = {}
  for (const table of copiedTables) digests[table.name] = await digestTable(reader, table, advance)
  return digests
}

/** The tables whose rows differ, in words. */
export function differences(expected: TableDigests, found: TableDigests): string[] {
  return Object.entries(expected).flatMap(([table, { rows, digest }]) => {
    const other = found[table]
    if (other?.digest === digest && other.rows === rows) return []
    return other?.rows === rows
      ? [`${table} has ${rows} rows as expected, but other contents`]
      : [`${table} has ${other?.rows ?? 0} rows instead of ${rows}`]
  })
}

export function totalRows(digests: TableDigests): number {
  return Object.values(digests).reduce((sum, { rows }) => sum + rows, 0)
}

/** One digest for all tables: identifies the state of an installation. */
export function stateDigest(digests: TableDigests): string {
  return hash('sha256', JSON.stringify(Object.entries(digests).sort(([a], [b]) => (a < b ? -1 : 1))))
}

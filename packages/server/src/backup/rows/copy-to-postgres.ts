import type { Client } from 'pg'
import { dropUnfinishedCopy, unfinishedCopyTable } from '../../database/unfinished-copy.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'
import type { ProgressReport } from '../progress-report.ts'
import { postgresReader, quote, type RowReader, type RowValue, type TableRow } from './row-reader.ts'
import { differences, digestTables, type TableDigests, totalRows } from './table-digest.ts'
import { type CopiedTable, copiedTables } from './tables.ts'

export interface RowCopy {
  source: RowReader
  digests: TableDigests
  /** The last number of the source's change feed. */
  lastChange: number
}

/** Copies what is missing in tables that `claimTarget` prepared. Every batch is one transaction with its position. */
export async function copyRows(target: Client, copy: RowCopy, progress: ProgressReport): Promise<void> {
  const step = progress.begin({ title: 'Copying rows', unit: 'rows', total: totalRows(copy.digests) })
  for (const table of copiedTables) {
    const { rows } = await target.query<{ position: number; copied: number }>(
      `select position, copied from ${unfinishedCopyTable} where name = $1`,
      [table.name],
    )
    const [at = { position: 0, copied: 0 }] = rows
    step.advance(at.copied)
    await copyTable(target, copy.source, table, at, step.advance)
  }
  step.end()
}

async function copyTable(
  target: Client,
  source: RowReader,
  table: CopiedTable,
  at: { position: number; copied: number },
  advance: (rows: number) => void,
): Promise<void> {
  const columns = await source.columns(table.name)
  const list = columns.map(quote).join()
  let { copied } = at
  for await (const { rows, position } of source.batches(table, columns, at.position)) {
    checkTexts(table.name, rows)
    copied += rows.length
    await inTransaction(target, async () => {
      await target.query(
        `insert into ${quote(table.name)} (${list})
         select ${list} from json_populate_recordset(null::${quote(table.name)}, $1)`,
        [JSON.stringify(rows.map(asJson))],
      )
      await target.query(
        `insert into ${unfinishedCopyTable} (name, position, copied) values ($1, $2, $3)
         on conflict (name) do update set position = excluded.position, copied = excluded.copied`,
        [table.name, position, copied],
      )
    })
    advance(rows.length)
  }
}

/** From here on the target is an installation. */
export async function finishRows(target: Client, copy: RowCopy, progress: ProgressReport): Promise<void> {
  await checkRows(target, copy, progress)
  await inTransaction(target, async () => {
    await target.query(`select setval(pg_get_serial_sequence('changes', 'seq'), $1)`, [
      Math.max(1, copy.lastChange),
    ])
    await target.query(`select setval(pg_get_serial_sequence('webhook_outbox', 'seq'),
      (select coalesce(max(seq), 0) + 1 from webhook_outbox), false)`)
    await dropUnfinishedCopy(target)
  })
  await target.query('analyze')
}

async function checkRows(target: Client, { digests }: RowCopy, progress: ProgressReport): Promise<void> {
  const found = await digestTarget(target, progress, totalRows(digests))
  const faults = differences(digests, found)
  if (faults.length === 0) return
  throw new OperatorError(
    `The copy is not equal to its source:\n${faults.map((fault) => `  ${fault}`).join('\n')}\n` +
      'Somebody else has written to the new database. Run this again with --start-over.',
  )
}

export async function digestTarget(
  target: Client,
  progress: ProgressReport,
  total: number,
): Promise<TableDigests> {
  const step = progress.begin({ title: 'Checking rows', unit: 'rows', total })
  let digests: TableDigests = {}
  await inTransaction(target, async () => {
    digests = await digestTables(postgresReader(target), step.advance)
  })
  step.end()
  return digests
}

function asJson(row: TableRow): Record<string, unknown> {
  const values = Object.entries(row).map(([name, value]) => [name, postgresValue(value)])
  return Object.fromEntries(values)
}

function postgresValue(value: RowValue): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  return typeof value === 'bigint' ? Number(value) : value
}

/** PostgreSQL has no NUL in texts. We never store one, so this only happens to data that others have changed. */
function checkTexts(table: string, rows: readonly TableRow[]): void {
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'string' && value.includes('\0'))
        throw new OperatorError(
          `A row of ${table} has a NUL character in ${column}, which PostgreSQL cannot store. Remove it from the source.`,
        )
    }
  }
}

export async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

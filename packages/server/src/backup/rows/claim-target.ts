import type { Client } from 'pg'
import { type DatabaseLocation, openDatabase } from '../../database/database.ts'
import { longRunningClient } from '../../database/postgres.ts'
import { unfinishedCopyTable } from '../../database/unfinished-copy.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'
import { inTransaction } from './copy-to-postgres.ts'
import { quote } from './row-reader.ts'
import { copiedTables, tableContents } from './tables.ts'

export interface ClaimedTarget extends AsyncDisposable {
  client: Client
  /** `taken`: it holds an installation, which may be this one if an earlier run finished. */
  state: 'copying' | 'taken'
}

export interface Claim {
  /** The digest of the source's rows. */
  source: string
  /** Empties the target if it holds an unfinished copy. */
  startOver: boolean
}

const silent = { warn: () => {} }
/** One per schema, since a database may hold several installations. */
const copyLock = 'pg_try_advisory_lock(627843703, hashtext(current_schema()))'

/** Prepares an empty database, or one with an unfinished copy of the same source. Changes nothing in any other. */
export async function claimTarget(url: string, { source, startOver }: Claim): Promise<ClaimedTarget> {
  const client = longRunningClient(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ free: boolean }>(`select ${copyLock} as free`)
    if (!rows[0]?.free)
      throw new OperatorError(
        'Another move or restore into this database is running. Wait until it has ended.',
      )
    const location: DatabaseLocation = { dialect: 'postgres', url }
    const isUnfinished = await exists(client, unfinishedCopyTable)
    await (await openDatabase(location, silent, { acceptsUnfinishedCopy: true })).close()
    if (isUnfinished) await resume(client, { source, startOver })
    const state = isUnfinished || (await beginCopy(client, source)) ? 'copying' : 'taken'
    return { client, state, [Symbol.asyncDispose]: () => client.end() }
  } catch (error) {
    await client.end()
    throw error
  }
}

async function exists(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>('select to_regclass($1)::text as found', [
    table,
  ])
  return rows[0]?.found != null
}

/** False if there are rows already. The marker and the check are one transaction. */
async function beginCopy(client: Client, source: string): Promise<boolean> {
  let isEmpty = false
  await inTransaction(client, async () => {
    isEmpty = !(await hasRows(client))
    if (!isEmpty) return
    await client.query(
      `create table ${unfinishedCopyTable} (name text primary key, position bigint not null, copied bigint not null)`,
    )
    await client.query(`insert into ${unfinishedCopyTable} values ($1, 0, 0)`, [sourceMark(source)])
  })
  return isEmpty
}

async function hasRows(client: Client): Promise<boolean> {
  const parts = copiedTables.map(({ name }) => `exists (select from ${quote(name)})`)
  const { rows } = await client.query<{ found: boolean }>(`select ${parts.join(' or ')} as found`)
  return rows[0]?.found === true
}

async function resume(client: Client, { source, startOver }: Claim): Promise<void> {
  const { rows } = await client.query(`select 1 from ${unfinishedCopyTable} where name = $1`, [
    sourceMark(source),
  ])
  if (rows.length > 0 && !startOver) return
  if (!startOver)
    throw new OperatorError(
      'The database holds an unfinished copy of something else, or of this installation before it was changed. ' +
        'Run this again with --start-over to empty it first, or use another database.',
    )
  await inTransaction(client, async () => {
    await client.query(`truncate ${Object.keys(tableContents).map(quote).join()}, ${unfinishedCopyTable}`)
    await client.query(`insert into ${unfinishedCopyTable} values ($1, 0, 0)`, [sourceMark(source)])
  })
}

function sourceMark(source: string): string {
  return `source ${source}`
}

import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { DatabaseLocation } from '../../database/database.ts'
import { longRunningClient } from '../../database/postgres.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'
import { postgresReader, type RowReader, sqliteReader } from './row-reader.ts'
import { checkVersion } from './snapshot-rows.ts'

/** Tells installations apart. */
export interface InstallationIdentity {
  /** Null in rows of an older version. */
  id: string | null
  accounts: ReadonlySet<string>
}

/** Rows from before there was an id are recognised by an account: their ids are random. */
export function isSameInstallation(one: InstallationIdentity, other: InstallationIdentity): boolean {
  if (one.id !== null && other.id !== null) return one.id === other.id
  return other.accounts.size === 0 || !one.accounts.isDisjointFrom(other.accounts)
}

/** Of a database that servers may use. Throws if there is no installation. */
export async function identifyInstallation(location: DatabaseLocation): Promise<InstallationIdentity> {
  if (location.dialect === 'sqlite') {
    if (existsSync(location.file)) return readFrom(new DatabaseSync(location.file, { timeout: 10_000 }))
    throw new OperatorError(`There is no database at ${location.file}. Run this with the server's settings.`)
  }
  const client = longRunningClient(location.url)
  try {
    await client.connect()
    await client.query('begin transaction isolation level repeatable read, read only')
    await checkVersion(client)
    return await readIdentity(postgresReader(client))
  } finally {
    await client.end()
  }
}

/** Of a snapshot; null if its rows are missing or damaged. */
export async function identifySnapshot(rowsFile: string): Promise<InstallationIdentity | null> {
  try {
    return await readFrom(new DatabaseSync(rowsFile, { readOnly: true }))
  } catch {
    return null
  }
}

async function readFrom(rows: DatabaseSync): Promise<InstallationIdentity> {
  try {
    return await readIdentity(sqliteReader(rows))
  } finally {
    rows.close()
  }
}

async function readIdentity(reader: RowReader): Promise<InstallationIdentity> {
  const [id] = await idsIn(reader, 'installation')
  return { id: id ?? null, accounts: new Set(await idsIn(reader, 'accounts')) }
}

async function idsIn(reader: RowReader, name: string): Promise<string[]> {
  const ids: string[] = []
  if ((await reader.columns(name)).length === 0) return ids
  for await (const { rows } of reader.batches({ name, condition: 'true' }, ['id']))
    ids.push(...rows.map(({ id }) => String(id)))
  return ids
}

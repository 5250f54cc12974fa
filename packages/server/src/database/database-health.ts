import { sql } from 'kysely'
import type { Database } from './database.ts'
import { DatabaseReadOnlyError, isStorageFull } from './database-errors.ts'

/** Rejects if the database does not respond, or responds and cannot be changed. */
export async function pingDatabase(database: PingedDatabase): Promise<void> {
  const { dialect, read } = database
  if (dialect === 'postgres') {
    if (await isReadOnly(read)) throw new DatabaseReadOnlyError()
  } else if (database.isWritable()) await sql`select 1`.execute(read)
  else await pingDisk(database)
}

export type PingedDatabase = Pick<Database, 'dialect' | 'read' | 'write' | 'isWritable'>

/** Rejects if SQLite cannot write to its disk. Writes a number that nothing reads. */
export async function pingDisk({ write }: Pick<Database, 'write'>): Promise<void> {
  await write((tx) => sql`pragma user_version = 0`.execute(tx))
}

/** Whether PostgreSQL can be used over a new connection, while those of the pool may wait for locks. */
export async function answersOutsidePool({
  dedicatedClient,
}: Pick<Database, 'dedicatedClient'>): Promise<boolean> {
  if (dedicatedClient === null) return false
  const client = dedicatedClient()
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ setting: string }>(readOnlySetting)
    return rows[0]?.setting === 'off'
  } catch {
    return false
  } finally {
    void client.end().catch(() => {})
  }
}

const readOnlySetting = `select current_setting('transaction_read_only') as setting`

async function isReadOnly(read: Database['read']): Promise<boolean> {
  const { rows } = await sql.raw<{ setting: string }>(readOnlySetting).execute(read)
  return rows[0]?.setting === 'on'
}

const counted = ['accounts', 'projects', 'deployments', 'certificates'] as const

export function countRows({
  read,
}: Pick<Database, 'read'>): Promise<Record<(typeof counted)[number], number>> {
  return read
    .selectNoFrom((e) =>
      counted.map((table) => e.selectFrom(table).select(e.fn.countAll<number>().as('count')).as(table)),
    )
    .$castTo<Record<(typeof counted)[number], number>>()
    .executeTakeFirstOrThrow()
}

/** The size at which SQLite checkpoints its write-ahead log. */
const reservedBytes = 4 * 1024 ** 2

/**
 * Grows SQLite's log and database file once, and leaves them at that size. Otherwise every write fails on a full disk,
 * even one that would free space.
 */
export async function reserveSpace({ dialect, write }: Pick<Database, 'dialect' | 'write'>): Promise<void> {
  if (dialect !== 'sqlite') return
  try {
    await write(async (tx) => {
      await sql`create table reserved (filler blob)`.execute(tx)
      await sql`insert into reserved values (zeroblob(${sql.lit(reservedBytes)}))`.execute(tx)
      await sql`drop table reserved`.execute(tx)
    })
  } catch (error) {
    // The disk is full already.
    if (!isStorageFull(error)) throw error
  }
}

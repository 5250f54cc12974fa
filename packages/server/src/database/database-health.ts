import { sql } from 'kysely'
import type { Database } from './database.ts'
import { isStorageFull } from './database-errors.ts'

/** Resolves when the database has answered, and rejects when it does not. */
export async function pingDatabase({ read }: Pick<Database, 'read'>): Promise<void> {
  await sql`select 1`.execute(read)
}

const counted = ['accounts', 'projects', 'deployments', 'certificates'] as const

/** How much there is of what is counted as a whole. */
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

/** As long as the log gets before SQLite empties it into the database. */
const reserved = 4 * 1024 ** 2

/**
 * Grows SQLite's log and its file once, and leaves both as large as they are. Without that, the first write on a full
 * disk fails, also the one that would free space.
 */
export async function reserveSpace({ dialect, write }: Pick<Database, 'dialect' | 'write'>): Promise<void> {
  if (dialect !== 'sqlite') return
  try {
    await write(async (tx) => {
      await sql`create table reserved (filler blob)`.execute(tx)
      await sql`insert into reserved values (zeroblob(${sql.lit(reserved)}))`.execute(tx)
      await sql`drop table reserved`.execute(tx)
    })
  } catch (error) {
    // Then there is nothing to reserve.
    if (!isStorageFull(error)) throw error
  }
}

import { sql } from 'kysely'
import { type Database, type DatabaseLocation, openDatabase } from '../database/database.ts'
import { type Change, type ChangeFeed, openChangeFeed } from './change-feed.ts'

export interface FeedOfOne extends AsyncDisposable {
  database: Database
  feed: ChangeFeed
  clock: { at: number }
  heard: (string | null)[]
  warnings: object[]
  tell(subject: string): Promise<void>
  /** As a transaction that is rolled back does. */
  skipNumber(): Promise<void>
}

/** One process with its feed. Not told: it learns of others only when it asks. Without a net: only by notification. */
export async function joinFeed(
  location: DatabaseLocation,
  { isTold = true, hasNet = isTold }: { isTold?: boolean; hasNet?: boolean } = {},
): Promise<FeedOfOne> {
  const clock = { at: Date.UTC(2030, 0, 1) }
  const warnings: object[] = []
  const log = { warn: (details: object) => void warnings.push(details) }
  const database = await openDatabase(location, log)
  const given = isTold ? database : { ...database, dedicatedClient: null }
  const context = { database: given, now: () => clock.at }
  const feed = await openChangeFeed(context, log, hasNet ? {} : { pollEvery: null })
  const heard: (string | null)[] = []
  feed.subscribe((change: Change | null) => heard.push(change === null ? null : change.subject))
  const tell = (subject: string) => database.write((tx) => feed.record(tx, { kind: 'project', subject }))
  return {
    database,
    feed,
    clock,
    heard,
    warnings,
    tell,
    async skipNumber() {
      if (database.dialect === 'postgres')
        await sql`select nextval(pg_get_serial_sequence('changes', 'seq'))`.execute(database.read)
      else await sql`update sqlite_sequence set seq = seq + 1 where name = 'changes'`.execute(database.read)
    },
    async [Symbol.asyncDispose]() {
      feed.close()
      await database.close()
    },
  }
}

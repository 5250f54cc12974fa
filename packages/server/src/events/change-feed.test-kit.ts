import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Client } from 'pg'
import {
  type Database,
  type DatabaseLocation,
  type DatabaseOptions,
  openDatabase,
} from '../database/database.ts'
import { type Change, type ChangeFeed, openChangeFeed } from './change-feed.ts'

export interface FeedOfOne extends AsyncDisposable {
  database: Database
  feed: ChangeFeed
  clock: { at: number }
  heard: (string | null)[]
  warnings: object[]
  tell(subject: string): Promise<void>
  /** Skips a sequence number, as a rolled-back transaction does. */
  skipNumber(): Promise<void>
  /** Makes the database look like a backup restored from when this was its last number. */
  restoreTo(seq: number): Promise<void>
  /** The ids of all server processes that ever notified it. */
  notifiers(): number[]
  /** Loses notifications, as happens behind a transaction pooler. */
  stopNotifications(): Promise<void>
}

export async function heardOf(subject: string, { heard }: FeedOfOne): Promise<void> {
  while (!heard.includes(subject)) await sleep(5)
}

interface Joining extends DatabaseOptions {
  isTold?: boolean
  hasNet?: boolean
}

/** One process with its feed. Without notifications it only polls; without polling it relies on notifications. */
export async function joinFeed(
  location: DatabaseLocation,
  { isTold = true, hasNet = isTold, ...options }: Joining = {},
): Promise<FeedOfOne> {
  const clock = { at: Date.UTC(2030, 0, 1) }
  const warnings: object[] = []
  const log = { warn: (details: object) => void warnings.push(details) }
  const database = await openDatabase(location, log, options)
  const clients: Client[] = []
  const { dedicatedClient: newClient } = database
  const dedicatedClient = () => {
    const client = newClient?.() ?? assert.fail('nobody notifies')
    clients.push(client)
    return client
  }
  const given = { ...database, dedicatedClient: isTold && newClient !== null ? dedicatedClient : null }
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
    async restoreTo(seq) {
      await database.read.deleteFrom('changes').where('seq', '>', seq).execute()
      if (database.dialect === 'postgres')
        await sql`select setval(pg_get_serial_sequence('changes', 'seq'), ${seq + 1}, false)`.execute(
          database.read,
        )
      else await sql`update sqlite_sequence set seq = ${seq} where name = 'changes'`.execute(database.read)
    },
    // Exists, but is not in the type declarations.
    notifiers: () => clients.map((client) => Number(Reflect.get(client, 'processID'))),
    async stopNotifications() {
      for (const client of clients) await client.query('unlisten *')
    },
    async [Symbol.asyncDispose]() {
      feed.close()
      await database.close()
    },
  }
}

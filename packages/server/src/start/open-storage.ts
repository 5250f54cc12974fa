import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import type { Config } from '../config/config.ts'
import { shareDataFolder } from '../database/data-folder-lock.ts'
import { type Context, type Database, type DatabaseLocation, openDatabase } from '../database/database.ts'
import { type FollowingClock, followDatabaseClock } from '../database/database-clock.ts'
import { reserveSpace } from '../database/database-health.ts'
import { type ChangeFeed, openChangeFeed } from '../events/change-feed.ts'
import { second, systemClock } from '../kernel/clock.ts'

/** The data folder has sessions, hashes and tenants' files. */
const ownerOnly = { folder: 0o700, file: 0o600 }
const others = 0o077

/** Older versions or a restored backup may have left these open. SQLite gives all its files the mode of the first. */
const existing = [
  ['masthead.db', ownerOnly.file],
  ['masthead.db-wal', ownerOnly.file],
  ['masthead.db-shm', ownerOnly.file],
  ['blobs', ownerOnly.folder],
] as const

/** Creates the data folder if needed. From now on only the owner can access what this process creates. */
export async function openDataFolder(
  path: string,
  log: { warn(details: object, message: string): void },
): Promise<void> {
  process.umask(process.umask() | others)
  await mkdir(path, { recursive: true, mode: ownerOnly.folder })
  for (const [name, mode] of [['.', ownerOnly.folder] as const, ...existing]) {
    const file = join(path, name)
    await chmod(file, mode).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT')
        log.warn(
          { err: error, file },
          'could not restrict access: other users of this machine may read this file',
        )
    })
  }
}

/** The database, the files and the change feed, opened by every process of a server. */
export interface Storage extends Context {
  blobs: BlobStore
  changes: ChangeFeed
  close(): Promise<void>
}

export function databaseLocation({
  dataFolder,
  databaseUrl,
}: Pick<Config, 'dataFolder' | 'databaseUrl'>): DatabaseLocation {
  return databaseUrl === null
    ? { dialect: 'sqlite', file: join(dataFolder, 'masthead.db') }
    : { dialect: 'postgres', url: databaseUrl }
}

export async function openStorage(
  { dataFolder, databaseUrl }: Pick<Config, 'dataFolder' | 'databaseUrl'>,
  log: { warn(details: object, message: string): void },
): Promise<Storage> {
  const use = shareDataFolder(dataFolder)
  const database = await openDatabase(databaseLocation({ dataFolder, databaseUrl }), log)
  const clock = await openClock(database, log)
  const { now } = clock
  await reserveSpace(database)
  const blobs = await createFileStore(join(dataFolder, 'blobs'))
  const changes = await openChangeFeed({ database, now }, log, { machineClock: systemClock })
  return {
    database,
    now,
    blobs,
    changes,
    async close() {
      changes.close()
      clock.close()
      await database.close()
      use.release()
    },
  }
}

/** More than a clock that is kept right ever differs. */
const noticeableDifference = 5 * second

/** SQLite is on this machine, so it has the same clock. */
async function openClock(
  database: Database,
  log: { warn(details: object, message: string): void },
): Promise<FollowingClock> {
  if (database.dialect === 'sqlite') return { now: systemClock, close: () => {} }
  const clock = await followDatabaseClock(database)
  const ahead = systemClock() - clock.now()
  if (Math.abs(ahead) > noticeableDifference) {
    log.warn(
      { secondsAhead: Math.round(ahead / second) },
      "this machine's clock differs from the database's, which counts: set both by NTP",
    )
  }
  return clock
}

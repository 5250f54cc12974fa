import { join } from 'node:path'
import type { BlobStore } from './blobs/blob-store.ts'
import { createFileStore } from './blobs/file-store.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Context } from './database/context.ts'
import { openDatabase } from './database/database.ts'
import { reserveSpace } from './database/reserve-space.ts'
import { type ChangeFeed, openChangeFeed } from './events/change-feed.ts'

/** Rows, files, and the notices of what others changed: what every process of a server opens for itself. */
export interface Storage extends Context {
  blobs: BlobStore
  changes: ChangeFeed
  close(): Promise<void>
}

export async function openStorage(
  { dataFolder, databaseUrl }: Pick<Config, 'dataFolder' | 'databaseUrl'>,
  log: { warn(details: object, message: string): void },
): Promise<Storage> {
  const now = systemClock
  const database = await openDatabase(
    databaseUrl === null
      ? { dialect: 'sqlite', file: join(dataFolder, 'masthead.db') }
      : { dialect: 'postgres', url: databaseUrl },
    log,
  )
  await reserveSpace(database)
  const blobs = await createFileStore(join(dataFolder, 'blobs'))
  const changes = await openChangeFeed({ database, now }, log)
  return {
    database,
    now,
    blobs,
    changes,
    close() {
      changes.close()
      return database.close()
    },
  }
}

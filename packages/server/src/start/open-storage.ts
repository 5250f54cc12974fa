import { chmod, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Registry } from 'prom-client'
import type { BlobStore, RemoteBlobStore } from '../blobs/blob-store.ts'
import { defaultCacheBytes } from '../blobs/cache/cache-size.ts'
import type { CacheLog } from '../blobs/cache/cache-stats.ts'
import { createCachedStore } from '../blobs/cache/cached-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { leavingFreeSpace } from '../blobs/files/free-space.ts'
import { unlessMissing } from '../blobs/missing.ts'
import { checkBucket } from '../blobs/s3/check-bucket.ts'
import { createS3Client } from '../blobs/s3/s3-client.ts'
import { defaultS3Limits, type S3Limits } from '../blobs/s3/s3-limits.ts'
import { createS3Store } from '../blobs/s3/s3-store.ts'
import { abortStaleUploads } from '../blobs/s3/upload-file.ts'
import type { Config } from '../config/config.ts'
import type { SettingName } from '../config/setting-names.ts'
import { type DataFolderLock, isUnused, shareDataFolder } from '../database/data-folder-lock.ts'
import { type Context, type Database, type DatabaseLocation, openDatabase } from '../database/database.ts'
import { type FollowingClock, followDatabaseClock } from '../database/database-clock.ts'
import { reserveSpace } from '../database/database-health.ts'
import { type ChangeFeed, openChangeFeed } from '../events/change-feed.ts'
import { second, systemClock } from '../kernel/clock.ts'
import { makeFolder } from '../kernel/program/make-folder.ts'
import { OperatorError, StartError } from '../kernel/program/process-lifetime.ts'
import { checkStore, type OpenStore, uncheckedStore } from '../store-check/check.ts'
import { explainError } from './errors/explain-error.ts'

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
  await makeFolder(path, ownerOnly.folder).catch((error: Error) => {
    throw new StartError(`MASTHEAD_DATA: ${error.message}`, { cause: error })
  })
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
  /** Resolves if the settings do not lead to the files of this database, and says what to do. */
  wrongStore: Promise<string>
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

export interface StorageOptions {
  metrics?: Registry
  /** Whether to refuse files of another database. Commands that use no files need no settings for them. */
  checksStore?: boolean
}

/** Where uploads arrive. */
export const stagingFolder = (dataFolder: string) => join(dataFolder, 'blobs', 'staging')

export async function openStorage(
  {
    dataFolder,
    databaseUrl,
    s3,
    cacheBytes,
  }: Pick<Config, 'dataFolder' | 'databaseUrl' | 's3' | 'cacheBytes'>,
  log: CacheLog,
  { metrics, checksStore = false }: StorageOptions = {},
): Promise<Storage> {
  const use = await shareFolder(dataFolder)
  const location = databaseLocation({ dataFolder, databaseUrl })
  const setting = location.dialect === 'postgres' ? 'DATABASE_URL' : 'MASTHEAD_DATA'
  const database = await openDatabase(location, log).catch((error: unknown) => {
    throw ofSetting(setting, error)
  })
  const clock = await openClock(database, log)
  const { now } = clock
  await reserveSpace(database)
  const opened = await openStore({ dataFolder, s3 }, log)
  const checked = checksStore
    ? await checkStore(opened, { database, now, config: { dataFolder, s3 }, log }).catch(async (error) => {
        await database.close()
        throw error
      })
    : uncheckedStore(opened.store)
  const { store } = checked
  const blobs =
    'fetch' in store
      ? await openCache(store, { dataFolder, cacheBytes }, log, metrics)
      : leavingFreeSpace(store, stagingFolder(dataFolder))
  const changes = await openChangeFeed({ database, now }, log, { machineClock: systemClock })
  return {
    database,
    now,
    blobs,
    changes,
    wrongStore: checked.wrong,
    async close() {
      checked.close()
      opened.close()
      changes.close()
      clock.close()
      await database.close()
      use.release()
    },
  }
}

async function shareFolder(dataFolder: string): Promise<DataFolderLock> {
  const staging = stagingFolder(dataFolder)
  try {
    // Listed first: a process that starts meanwhile may stage files of its own.
    const staged = await unlessMissing(readdir(staging), [])
    // Without a process that uses it, all of that is from killed ones.
    const left = staged.length > 0 && isUnused(dataFolder) ? staged : []
    const use = shareDataFolder(dataFolder)
    // What a failing disk keeps is tried again once it is a day old.
    for (const name of left) await unlink(join(staging, name)).catch(() => {})
    return use
  } catch (error) {
    throw ofSetting('MASTHEAD_DATA', error)
  }
}

/** The same error, or one for the operator that names the setting. */
function ofSetting(name: SettingName, error: unknown): unknown {
  if (error instanceof OperatorError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const text = explainError(error) ?? (code === 'ENOENT' ? `${message}. Check the path.` : null)
  return text === null ? error : new StartError(`${name}: ${text}`, { cause: error })
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

export async function openBlobs(
  config: Pick<Config, 'dataFolder' | 's3'>,
  log: { warn(details: object, message: string): void },
  limits: S3Limits,
): Promise<BlobStore> {
  return (await openStore(config, log, limits)).store
}

/** Files in the data folder, or in S3 with a local folder for uploads that are not complete. */
async function openStore(
  { dataFolder, s3 }: Pick<Config, 'dataFolder' | 's3'>,
  log: { warn(details: object, message: string): void },
  limits: S3Limits = defaultS3Limits,
): Promise<OpenStore & { close(): void }> {
  const folder = join(dataFolder, 'blobs')
  if (s3 === null) return { store: await createFileStore(folder), isResponding: true, close: () => {} }
  const client = createS3Client(s3, limits)
  // The person who starts it waits for this, however patient the rest is.
  const trouble = await checkBucket(createS3Client(s3, defaultS3Limits), s3)
  if (trouble !== null) {
    log.warn({ endpoint: s3.endpoint, trouble }, 'S3 is not responding. Is MASTHEAD_S3_ENDPOINT right?')
  }
  const close = abortStaleUploads(client, s3.prefix, (error) => {
    log.warn({ err: error }, 'could not look for unfinished uploads in S3')
  })
  const store = await createS3Store({ client, limits, spoolFolder: stagingFolder(dataFolder) })
  return { store, isResponding: trouble === null, close }
}

/** Shared by all processes with this data folder. */
async function openCache(
  origin: RemoteBlobStore,
  { dataFolder, cacheBytes }: Pick<Config, 'dataFolder' | 'cacheBytes'>,
  log: CacheLog,
  metrics: Registry | undefined,
): Promise<BlobStore> {
  const maxBytes = cacheBytes ?? (await defaultCacheBytes(dataFolder))
  return createCachedStore({ origin, folder: join(dataFolder, 'cache'), maxBytes, log, metrics })
}

import type { BlobStore } from '../blobs/blob-store.ts'
import type { Config } from '../config/config.ts'
import { type Context, type Database, lock, type Reader } from '../database/database.ts'
import { compareStore, type KnownStore, type StoreMatch, wrongStore } from './compare.ts'
import { findStore, insertStore, markWritten, someFiles } from './store.ts'
import { newStoreId, readStoreId, writeStoreId } from './store-id.ts'

export interface JoiningParts extends Context {
  store: BlobStore
  config: Pick<Config, 'dataFolder' | 's3'>
  log: { warn(details: object, message: string): void }
}

/**
 * Throws a WrongStoreError unless the store has the files of this database, and another error if the store cannot be
 * asked. The first time, both get the same id. The row comes first and says that the store may not have it yet, so that
 * an interrupted start is no obstacle to the next.
 */
export async function joinStore({ database, now, store, config, log }: JoiningParts): Promise<void> {
  let known = await findStore(database.read)
  if (known === null) {
    const found = await readStoreId(store)
    const first = await firstMatch(database.read, store, found)
    if (first === 'missing') throw wrongStore(first, config)
    known = await attempt(introduce(database, first === 'new' ? (found ?? newStoreId()) : null))
  }
  const match = compareStore(known, await readStoreId(store))
  if (match === 'missing' || match === 'other') throw wrongStore(match, config)
  if (known !== null && !known.isWritten) await attempt(confirm(known, match === 'new'))

  async function confirm({ id }: KnownStore, isNew: boolean): Promise<void> {
    if (isNew) await writeStoreId(store, id)
    await database.write((tx) => markWritten(tx, id, now()))
  }

  /** A full disk is no reason not to start. The next start tries again. */
  async function attempt<T>(work: Promise<T>): Promise<T | null> {
    return work.catch((error: unknown) => {
      log.warn({ err: error }, 'could not store the id of the file store')
      return null
    })
  }
}

/** The id that another node may have been faster to store, or else this one. */
function introduce(database: Database, id: string | null): Promise<KnownStore | null> {
  return database.write(async (tx) => {
    await lock(database, tx, 'file store')
    const existing = await findStore(tx)
    if (existing !== null || id === null) return existing
    await insertStore(tx, id)
    return { id, isWritten: false }
  })
}

/** Some may be lost. */
const askedFor = 5

/**
 * For a database without an id: it is new, or from before there were ids. A new one may share any store: no two accounts
 * have the same id, so it cannot touch what others have there.
 */
async function firstMatch(
  db: Reader,
  store: ReadableStore,
  found: string | null,
): Promise<'new' | 'missing' | 'other'> {
  const files = await someFiles(db, askedFor)
  if (files.length === 0) return 'new'
  if (found !== null) return 'other'
  for (const file of files) if (await store.has(file)) return 'new'
  return 'missing'
}

export type ReadableStore = Pick<BlobStore, 'readDocument' | 'has'>

/** As a server that starts would find it. Changes nothing. */
export async function matchStore(db: Reader, store: ReadableStore): Promise<StoreMatch> {
  const found = await readStoreId(store)
  // The table is missing if the version that runs is older.
  const known = await findStore(db).catch(() => null)
  return known === null ? firstMatch(db, store, found) : compareStore(known, found)
}

/** Gives the store to this database, also if another one had it. */
export async function takeStore(
  { database, now }: Context,
  store: Pick<BlobStore, 'writeDocument'>,
): Promise<void> {
  const id = newStoreId()
  await database.write((tx) => insertStore(tx, id))
  await writeStoreId(store, id)
  await database.write((tx) => markWritten(tx, id, now()))
}

import type { Registry } from 'prom-client'
import { hour } from '../../kernel/clock.ts'
import type { BlobFile, BlobStore, RemoteBlobStore } from '../blob-store.ts'
import { CacheFolder } from './cache-folder.ts'
import { CacheRoom } from './cache-room.ts'
import { type CacheLog, type CacheStats, noStats, registerCacheMetrics } from './cache-stats.ts'
import { CachedDocuments } from './cached-documents.ts'
import { ContentFetcher, defaultFetchLimits, type FetchLimits } from './content-fetcher.ts'

export interface CachedStoreOptions {
  origin: RemoteBlobStore
  /** May be shared by any number of processes. */
  folder: string
  maxBytes: number
  log: CacheLog
  metrics?: Registry | undefined
  limits?: Partial<FetchLimits & { documentMs: number }> | undefined
}

export interface CachedStore extends BlobStore {
  readonly stats: CacheStats
}

/** Reads from a folder on this machine, and from the origin what is not there. Everything else goes to the origin. */
export async function createCachedStore(options: CachedStoreOptions): Promise<CachedStore> {
  const { origin, maxBytes, log, metrics } = options
  const limits = { ...defaultFetchLimits, ...options.limits }
  const stats = noStats()
  const folder = new CacheFolder(options.folder)
  await folder.create()
  const room = new CacheRoom({ folder, maxBytes, stats, log })
  // With very many files this takes a while, and nobody has to wait for it.
  room.open().catch((error: unknown) => log.warn({ err: error }, 'could not count the files of the cache'))
  setInterval(() => folder.removeAbandoned().catch(() => {}), hour).unref()
  const fetcher = new ContentFetcher({ origin, folder, room, stats, log, limits })
  const documents = new CachedDocuments({ origin, folder, room, log, answerMs: limits.documentMs })
  if (metrics !== undefined) registerCacheMetrics(metrics, { stats, bytes: () => room.bytes, maxBytes })

  /** Null if it cannot be read from the cache, whatever the reason. */
  async function fromCache<T>(work: Promise<T | null>): Promise<T | null> {
    return work.catch((error: unknown) => {
      log.warn({ err: error }, 'the cache cannot be read')
      return null
    })
  }

  return {
    ...origin,
    stats,

    async read(key, size) {
      const path = folder.contentPath(key)
      const content = await fromCache(folder.read(path, size))
      if (content !== null) {
        stats.hits++
        return content
      }
      stats.misses++
      const isCached = await fetcher.fetch(path, key, size)
      const fetched = isCached ? await fromCache(folder.read(path, size)) : null
      return fetched ?? fetcher.fetchIntoMemory(path, key)
    },

    prepare(key, size) {
      const path = folder.contentPath(key)
      if (folder.hasUsed(path, size)) return undefined
      return folder
        .has(path, size)
        .catch(() => false)
        .then((isCached) => isCached || fetcher.fetch(path, key, size))
        .then(() => {})
    },

    async openFile(key, size) {
      const path = folder.contentPath(key)
      const file = await fromCache(folder.open(path, size))
      if (file !== null) {
        stats.hits++
        return fileOf(file)
      }
      stats.misses++
      const isCached = await fetcher.fetch(path, key, size)
      const fetched = isCached ? await fromCache(folder.open(path, size)) : null
      return fetched === null ? origin.openFile(key) : fileOf(fetched)
    },

    async remove(key, withinMs) {
      await origin.remove(key, withinMs)
      await fromCache(folder.remove(folder.contentPath(key)).then(() => null))
    },

    readDocument: (name) => documents.read(name),
    async removeDocument(name) {
      await origin.removeDocument(name)
      await fromCache(documents.remove(name).then(() => null))
    },
  }
}

type OpenedFile = NonNullable<Awaited<ReturnType<CacheFolder['open']>>>

function fileOf(file: OpenedFile): BlobFile {
  return {
    read: async (start, into) => (await file.read(into, 0, into.length, start)).bytesRead,
    readParts: async (start, into) => (await file.readv(into, start)).bytesRead,
    close: () => file.close(),
  }
}

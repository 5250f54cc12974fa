import { unlink } from 'node:fs/promises'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import { type BlobKey, BlobsUnavailableError, blobPath, type RemoteBlobStore } from '../blob-store.ts'
import { writeDurably } from '../files/write-durably.ts'
import type { CacheFolder } from './cache-folder.ts'
import type { CacheRoom } from './cache-room.ts'
import type { CacheLog, CacheStats } from './cache-stats.ts'
import { type FetchLock, tryLock, untilUnlocked } from './fetch-lock.ts'
import { CacheDiskError, collectContent, type ReceiveLimits, receiveContent } from './receive-content.ts'

export interface FetchLimits extends ReceiveLimits {
  /** Fetches at once, of which each account has a share. Each holds a few hundred kilobytes. */
  atOnce: number
  maxWaiting: number
  /** The longest that anybody waits, even if the store is only slow. */
  waitMs: number
}

export const defaultFetchLimits: FetchLimits = {
  ...{ atOnce: 32, maxWaiting: 20_000, waitMs: 60_000 },
  ...{ stallMs: 8_000, minBytesPerSecond: 100_000 },
}

/** How long nothing is written after the disk refused it. */
const diskPauseMs = 5_000
const complainEveryMs = 10_000

export interface ContentFetcherParts {
  origin: Pick<RemoteBlobStore, 'fetch'>
  folder: CacheFolder
  room: CacheRoom
  stats: CacheStats
  log: CacheLog
  limits: FetchLimits
}

/** Brings files from the store into the cache. */
export class ContentFetcher {
  readonly #parts: ContentFetcherParts
  readonly #queue: FairQueue
  #heardAt = Number.NEGATIVE_INFINITY
  #pausedUntil = Number.NEGATIVE_INFINITY
  #complainedAt = Number.NEGATIVE_INFINITY

  /**
   * Everybody who wants a file shares one fetch, in this process and in the others. Resolves to whether it is in the
   * cache now: a file that does not fit, or that the disk refuses, has to be read from the store.
   */
  readonly fetch = singleFlight((path: string, key: BlobKey, size: number | undefined) =>
    this.#inTime(key, (task) => this.#intoCache(path, key, size, task)),
  )

  readonly fetchIntoMemory = singleFlight((_path: string, key: BlobKey) =>
    this.#inTime(key, (task) => this.#intoMemory(key, task)),
  )

  constructor(parts: ContentFetcherParts) {
    this.#parts = parts
    this.#queue = new FairQueue({ size: parts.limits.atOnce, maxWaiting: parts.limits.maxWaiting })
  }

  /** Fails when nothing has arrived for a while, for this file or any other, or when it takes far too long. */
  async #inTime<T>(key: BlobKey, work: (task: FetchTask) => Promise<T>): Promise<T> {
    const { stallMs, waitMs } = this.#parts.limits
    const task = { isAbandoned: false }
    const startedAt = performance.now()
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    const timer = setInterval(
      () => {
        const now = performance.now()
        if (now - Math.max(startedAt, this.#heardAt) < stallMs && now - startedAt < waitMs) return
        task.isAbandoned = true
        reject(new BlobsUnavailableError('The store of files does not answer in time'))
      },
      Math.min(250, stallMs / 4),
    )
    try {
      return await Promise.race([this.#queue.run(key.accountId, () => work(task)), tooLate])
    } finally {
      clearInterval(timer)
    }
  }

  async #intoCache(path: string, key: BlobKey, size: number | undefined, task: FetchTask): Promise<boolean> {
    const { folder, room } = this.#parts
    if (task.isAbandoned || performance.now() < this.#pausedUntil) return false
    if (size !== undefined && !room.accepts(size)) return false
    const lockPath = folder.lockPath(path)
    try {
      while (!task.isAbandoned) {
        if (await onDisk(folder.has(path, size))) return true
        const lock = await onDisk(tryLock(lockPath))
        if (lock === null) {
          await onDisk(untilUnlocked(lockPath, this.#markHeard))
          continue
        }
        try {
          // Another process may have fetched it just before.
          return (await onDisk(folder.has(path, size))) || (await this.#download(path, key, lock))
        } finally {
          await onDisk(lock.release())
        }
      }
      return false
    } catch (error) {
      if (!(error instanceof CacheDiskError)) throw error
      await this.#onDiskFault(error)
      return false
    }
  }

  async #download(path: string, key: BlobKey, lock: FetchLock): Promise<boolean> {
    const { folder, room } = this.#parts
    const temporary = folder.temporaryPath()
    let isTooLarge = false
    try {
      const { size } = await this.#receive(key, lock, {
        async write(content, announced) {
          isTooLarge = !room.accepts(announced)
          if (isTooLarge) throw new Error('It is larger than the cache')
          return writeDurably(temporary, content)
        },
        discard: () => unlink(temporary),
      })
      await onDisk(room.publish(temporary, path, size))
      return true
    } catch (error) {
      if (isTooLarge) return false
      await unlink(temporary).catch(() => {})
      throw error
    }
  }

  async #intoMemory(key: BlobKey, task: FetchTask): Promise<Buffer> {
    if (task.isAbandoned) throw new BlobsUnavailableError('Nobody waits for it any more')
    return (await this.#receive(key, null, { write: collectContent })).bytes
  }

  async #receive<T extends { sha256: string; size: number }>(
    key: BlobKey,
    lock: FetchLock | null,
    receiver: {
      write(content: AsyncIterable<Uint8Array>, size: number): Promise<T>
      discard?(written: T): Promise<void>
    },
  ): Promise<T> {
    const { origin, stats, log, limits } = this.#parts
    stats.fetches++
    try {
      const received = await receiveContent(
        origin,
        key,
        {
          ...receiver,
          onBytes: (count) => {
            stats.fetchedBytes += count
            lock?.progressed()
            this.#markHeard()
          },
          onDamaged: (error) => log.warn({ err: error, blob: blobPath(key) }, 'content arrived damaged'),
        },
        limits,
      )
      this.#markHeard()
      if (received === null) throw missing(key)
      return received
    } catch (error) {
      if (!(error instanceof CacheDiskError)) this.#onFailedFetch(key, error)
      throw error
    }
  }

  /** Visitors may ask for thousands of files meanwhile. */
  #onFailedFetch(key: BlobKey, error: unknown): void {
    const { stats, log } = this.#parts
    stats.failedFetches++
    if (performance.now() - this.#complainedAt < complainEveryMs) return
    this.#complainedAt = performance.now()
    log.warn({ err: error, blob: blobPath(key) }, 'a file cannot be fetched, so only cached ones are served')
  }

  readonly #markHeard = (): void => {
    this.#heardAt = performance.now()
  }

  async #onDiskFault(error: CacheDiskError): Promise<void> {
    const { folder, room, log } = this.#parts
    this.#pausedUntil = performance.now() + diskPauseMs
    log.warn({ err: error }, 'the cache cannot be written to, so files are served from the store')
    const { cause } = error
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    // Somebody may have emptied the cache.
    if (code === 'ENOENT') {
      await folder.create().catch(() => {})
      this.#pausedUntil = Number.NEGATIVE_INFINITY
    }
    if (code === 'ENOSPC' || code === 'EDQUOT') room.shrink().catch(() => {})
  }
}

interface FetchTask {
  /** Nobody waits for it any more. */
  isAbandoned: boolean
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new CacheDiskError('The cache cannot be written to', { cause: error })
  }
}

/** As every store says it. */
function missing(key: BlobKey): Error {
  return Object.assign(new Error(`There is no ${blobPath(key)}`), { code: 'ENOENT' })
}

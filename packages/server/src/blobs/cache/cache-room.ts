import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { minute } from '../../kernel/clock.ts'
import type { CacheFolder } from './cache-folder.ts'
import type { CacheLog, CacheStats } from './cache-stats.ts'
import { bytesOnDisk, evict } from './eviction.ts'
import { tryLock, untilUnlocked } from './fetch-lock.ts'
import { Ledger } from './ledger.ts'

/** From which part of the bound on files are evicted, and how much is left. Each time costs a look at every file. */
const evictAbove = 0.95
const evictTo = 0.85
/** What is given back to a full disk. */
const keptOnFullDisk = 0.9
const shrinkEvery = minute

export interface CacheRoomParts {
  folder: CacheFolder
  maxBytes: number
  stats: CacheStats
  log: CacheLog
}

const maxTries = 3

/** Keeps the cache within its bound, together with the other processes. */
export class CacheRoom {
  readonly #parts: CacheRoomParts
  readonly #ledger: Ledger
  #lastPublished: Promise<unknown> = Promise.resolve()
  #isEvicting = false
  #shrunkAt = Number.NEGATIVE_INFINITY

  constructor(parts: CacheRoomParts) {
    this.#parts = parts
    this.#ledger = new Ledger(this.#ledgerPath)
  }

  get bytes(): number {
    return this.#ledger.known
  }

  /** Counts what is there, unless another process has. */
  async open(): Promise<void> {
    await this.#parts.folder.removeAbandoned()
    const isCounted = await access(this.#ledgerPath).then(
      () => true,
      () => false,
    )
    if (!isCounted || (await this.#ledger.add(0)) > this.#parts.maxBytes) await this.#evictFor(0)
  }

  accepts(size: number): boolean {
    return bytesOnDisk(size) <= this.#parts.maxBytes * evictTo
  }

  /** Gives a file its final name, once there is room for it. One after the other, so that each sees the last. */
  publish(temporary: string, path: string, size: number): Promise<void> {
    const published = this.#lastPublished.then(() => this.#publish(temporary, path, size))
    this.#lastPublished = published.catch(() => {})
    return published
  }

  /** Gives something back to a disk that is full. */
  async shrink(): Promise<void> {
    if (performance.now() - this.#shrunkAt < shrinkEvery) return
    this.#shrunkAt = performance.now()
    await this.#evictLocked((found) => Math.min(this.#parts.maxBytes * evictTo, found * keptOnFullDisk))
  }

  get #ledgerPath(): string {
    return join(this.#parts.folder.root, 'ledger')
  }

  async #publish(temporary: string, path: string, size: number): Promise<void> {
    const { folder, maxBytes, log } = this.#parts
    const bytes = bytesOnDisk(size)
    for (let tries = 0; tries < maxTries && (await this.#ledger.add(0)) + bytes > maxBytes; tries++) {
      await this.#evictFor(bytes)
    }
    await folder.publish(temporary, path, size)
    const total = await this.#ledger.add(bytes)
    if (total <= maxBytes * evictAbove || this.#isEvicting) return
    // Before the next file has to wait for it.
    this.#isEvicting = true
    this.#evictFor(0)
      .catch((error: unknown) => log.warn({ err: error }, 'could not shrink the cache'))
      .finally(() => {
        this.#isEvicting = false
      })
  }

  #evictFor(bytes: number): Promise<void> {
    const { maxBytes } = this.#parts
    return this.#evictLocked((found) =>
      found + bytes > maxBytes * evictAbove ? Math.max(0, maxBytes * evictTo - bytes) : found,
    )
  }

  /** If another process is at it, or another call, waits for that instead. */
  async #evictLocked(target: (found: number) => number): Promise<void> {
    const { folder, stats, log } = this.#parts
    const lockPath = folder.lockPath('/eviction')
    const lock = await tryLock(lockPath).catch((error: NodeJS.ErrnoException) => {
      // Without room for a lock there is no time to lose.
      if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return unlocked
      throw error
    })
    if (lock === null) {
      await untilUnlocked(lockPath, () => {})
      return
    }
    try {
      const before = await this.#ledger.add(0).catch(() => 0)
      const { files, bytes, total } = await evict(folder, target)
      // What was added meanwhile may be counted twice, which only means to look again sooner.
      const added = (await this.#ledger.add(0).catch(() => before)) - before
      await this.#ledger.replace(total + Math.max(0, added), folder.temporaryPath())
      await this.#ledger.add(0)
      stats.evictedFiles += files
      stats.evictedBytes += bytes
      if (files > 0) log.info?.({ files, bytes, left: total }, 'evicted files from the cache')
      await folder.removeAbandoned()
    } finally {
      await lock.release()
    }
  }
}

const unlocked = { release: async () => {} }

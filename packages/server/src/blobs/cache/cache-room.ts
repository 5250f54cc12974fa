import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { minute } from '../../kernel/clock.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
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

/** Keeps the cache within its bound, together with the other processes. */
export class CacheRoom {
  readonly #parts: CacheRoomParts
  readonly #ledger: Ledger
  readonly #evict = singleFlight((_: 'evict', part: number | null) => this.#evictLocked(part))
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
    if (!isCounted) await this.#evict('evict', null)
    else if ((await this.#ledger.add(0)) > this.#parts.maxBytes) await this.#evict('evict', null)
  }

  accepts(size: number): boolean {
    return bytesOnDisk(size) <= this.#parts.maxBytes * evictTo
  }

  /** To be called before a file gets its final name. */
  async add(size: number): Promise<void> {
    const { maxBytes } = this.#parts
    const total = await this.#ledger.add(bytesOnDisk(size))
    if (total <= maxBytes * evictAbove) return
    const evicting = this.#evict('evict', null)
    if (total > maxBytes) await evicting
    else
      evicting.catch((error: unknown) => this.#parts.log.warn({ err: error }, 'could not shrink the cache'))
  }

  /** Gives something back to a disk that is full. */
  async shrink(): Promise<void> {
    if (performance.now() - this.#shrunkAt < shrinkEvery) return
    this.#shrunkAt = performance.now()
    await this.#evict('evict', keptOnFullDisk)
  }

  get #ledgerPath(): string {
    return join(this.#parts.folder.root, 'ledger')
  }

  /** `part` is how much of the present size is kept; null for what the bound allows. */
  async #evictLocked(part: number | null): Promise<void> {
    const { folder, maxBytes, stats, log } = this.#parts
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
      const bound = maxBytes * evictTo
      const { files, bytes, total } = await evict(folder, (found) =>
        part === null ? (found > maxBytes * evictAbove ? bound : found) : Math.min(bound, found * part),
      )
      // What was added meanwhile may be counted twice, which only means to look again sooner.
      const added = (await this.#ledger.add(0).catch(() => before)) - before
      await this.#ledger.replace(total + Math.max(0, added), folder.temporaryPath())
      await this.#ledger.add(0)
      stats.evictedFiles += files
      stats.evictedBytes += bytes
      if (files > 0) log.info({ files, bytes, left: total }, 'evicted files from the cache')
      await folder.removeAbandoned()
    } finally {
      await lock.release()
    }
  }
}

const unlocked = { release: async () => {} }

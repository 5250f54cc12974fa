import { setTimeout as delay } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { second } from '../kernel/clock.ts'
import { isConflict } from './database-errors.ts'
import type { Schema } from './schema.ts'

type Work = (tx: Transaction<Schema>) => Promise<void>

const maxPending = 10_000
const batchSize = 100
/** Uses of this long are written together. */
const collectFor = second
/** Do not retry a failing database on every request. */
const pauseAfterFailure = second

/**
 * Writes that no request waits for, such as when a key was last used. Only the latest per subject is written, in
 * batches. A batch that loses to another transaction is written once more, so `work` may run twice. Any other failed one
 * is dropped, because a later request brings it again. A process that is killed loses at most the last batch.
 */
export class DeferredWrites {
  readonly #write: (work: Work) => Promise<void>
  readonly #warn: (error: unknown) => void
  readonly #pending = new Map<string, Work>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #failing = false

  constructor(write: (work: Work) => Promise<void>, warn: (error: unknown) => void) {
    this.#write = write
    this.#warn = warn
  }

  add(subject: string, work: Work): void {
    if (this.#closing.signal.aborted) return
    if (this.#pending.size >= maxPending && !this.#pending.has(subject)) return
    this.#pending.set(subject, work)
    this.#timer ??= setTimeout(() => this.#start(), collectFor).unref()
  }

  /** Writes now what was collected. */
  async settled(): Promise<void> {
    this.#start()
    await this.#running
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }

  #start(): void {
    clearTimeout(this.#timer ?? undefined)
    this.#timer = null
    if (this.#pending.size > 0) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, batchSize)
      for (const [subject] of batch) this.#pending.delete(subject)
      // In the same order on every node, so that they cannot deadlock over the same rows.
      batch.sort(([a], [b]) => (a < b ? -1 : 1))
      const writeBatch = () =>
        this.#write(async (tx) => {
          for (const [, work] of batch) await work(tx)
        })
      try {
        await writeBatch().catch((error: unknown) => {
          if (!isConflict(error)) throw error
          return writeBatch()
        })
        this.#failing = false
      } catch (error) {
        if (!this.#failing) this.#warn(error)
        this.#failing = true
        this.#pending.clear()
        await delay(pauseAfterFailure, undefined, { signal: this.#closing.signal }).catch(() => {})
      }
    }
    this.#running = null
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { second } from '../kernel/clock.ts'
import type { Schema } from './schema.ts'

type Work = (tx: Transaction<Schema>) => Promise<void>

const mostPending = 10_000
const perTransaction = 100
/** A database that cannot write now is not asked at every request. */
const pauseAfterFailure = second

/**
 * Writes that requests cause and none waits for, such as when a key was last used: of each subject the latest, a batch
 * at a time. What cannot be written is dropped, since the next request brings it again.
 */
export class DeferredWrites {
  readonly #write: (work: Work) => Promise<void>
  readonly #warn: (error: unknown) => void
  readonly #pending = new Map<string, Work>()
  readonly #closing = new AbortController()
  #running: Promise<void> | null = null
  #failing = false

  constructor(write: (work: Work) => Promise<void>, warn: (error: unknown) => void) {
    this.#write = write
    this.#warn = warn
  }

  add(subject: string, work: Work): void {
    if (this.#closing.signal.aborted) return
    if (this.#pending.size >= mostPending && !this.#pending.has(subject)) return
    this.#pending.set(subject, work)
    this.#running ??= this.#run()
  }

  /** Resolves when nothing is pending. */
  async settled(): Promise<void> {
    await this.#running
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }

  async #run(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, perTransaction)
      for (const [subject] of batch) this.#pending.delete(subject)
      try {
        await this.#write(async (tx) => {
          for (const [, work] of batch) await work(tx)
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

import type { Transaction } from 'kysely'
import { hour, second } from '../kernel/clock.ts'
import type { Schema } from './schema.ts'

type Work = (tx: Transaction<Schema>) => Promise<void>

const maxPending = 10_000
const retryEvery = second
/** Longer than most outages. Jobs remove what is left after that, or if the process ends. */
const giveUpAfter = hour

interface CleanUp {
  work: Work
  since: number
}

/**
 * Writes that undo what a failed request has begun. It may have failed because the database was away, and then so do
 * they: they are made again, one after the other, until it is back.
 */
export class CleanUps {
  readonly #write: (work: Work) => Promise<void>
  #pending: CleanUp[] = []
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(write: (work: Work) => Promise<void>) {
    this.#write = write
  }

  /** Resolves after the first attempt, also if it failed. */
  async run(work: Work): Promise<void> {
    await this.#write(work).catch(() => {
      if (this.#pending.length < maxPending) this.#pending.push({ work, since: performance.now() })
      this.#retrySoon()
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #retrySoon(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => void this.#retry(), retryEvery).unref()
  }

  async #retry(): Promise<void> {
    const oldest = performance.now() - giveUpAfter
    this.#pending = this.#pending.filter(({ since }) => since > oldest)
    let hasFailed = false
    while (!hasFailed && !this.#isClosed) {
      const next = this.#pending.shift()
      if (next === undefined) break
      await this.#write(next.work).catch(() => {
        hasFailed = true
        this.#pending.push(next)
      })
    }
    this.#timer = undefined
    if (this.#pending.length > 0) this.#retrySoon()
  }
}

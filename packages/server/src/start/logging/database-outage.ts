import type { Database } from '../../database/database.ts'
import { isDatabaseFailure, isStorageBroken } from '../../database/database-errors.ts'
import {
  answersOutsidePool,
  type PingedDatabase,
  pingDatabase,
  pingDisk,
} from '../../database/database-health.ts'
import type { Dialect } from '../../database/schema.ts'
import { second } from '../../kernel/clock.ts'
import { withTimeout } from '../../kernel/with-timeout.ts'
import { reasonOf } from '../errors/explain-error.ts'

/** As long as a connection may take. */
const answerWithin = 5 * second
const askAgainAfter = second / 2
/** The first question may go over a connection that was lost too. */
const questions = 2
/** Lines that wait for the answer to the first question. */
const heldLines = 10

export type WatchedDatabase = PingedDatabase & Pick<Database, 'dedicatedClient'>

export interface OutageLog {
  error(details: object, message: string): void
  info(details: object, message: string): void
}

const busyWords =
  'PostgreSQL answers, but every connection of this process waits for a lock or a slow statement; sites in memory are ' +
  'served. Look in pg_stat_activity for a transaction that holds a lock, and end it.'

interface OutageKind {
  isFailure: (error: unknown) => boolean
  ask: (database: WatchedDatabase) => Promise<void>
  down: string
  up: string
}

const kinds: Record<Dialect, OutageKind> = {
  postgres: {
    isFailure: isDatabaseFailure,
    ask: pingDatabase,
    down:
      'PostgreSQL cannot be used at DATABASE_URL; sites in memory are served. Check that it runs, that this machine ' +
      'can reach it, and that it accepts the user and changes.',
    up: 'PostgreSQL can be used again; failures in between were only counted',
  },
  // A file of ours always answers, but its disk may refuse changes.
  sqlite: {
    isFailure: isStorageBroken,
    ask: pingDisk,
    down:
      'The disk of the database fails or is read-only, so nothing can be changed; sites are served. Check the disk, ' +
      'and how it is mounted.',
    up: 'The database can be changed again; failures in between were only counted',
  },
}

/**
 * Reports that the database cannot be used, and that it can again, in one line each. What fails in between because of it
 * is only counted: visitors decide how often that is.
 */
export class DatabaseOutage {
  readonly #log: OutageLog
  #database: WatchedDatabase | null = null
  #state: 'up' | 'asking' | 'down' = 'up'
  #held: (() => void)[] = []
  #failures = 0
  #unanswered = 0
  #since = 0
  #nextQuestion: NodeJS.Timeout | undefined

  constructor(log: OutageLog) {
    this.#log = log
  }

  watch(database: WatchedDatabase): void {
    this.#database = database
  }

  close(): void {
    this.#database = null
    clearTimeout(this.#nextQuestion)
    this.#release()
  }

  /** True if the line needs no writing, or is written once it is known that there is no outage. */
  absorb(error: unknown, write: () => void): boolean {
    if (this.#database === null || !isOutage(error, kinds[this.#database.dialect])) return false
    this.#failures++
    if (this.#state === 'down') return true
    if (this.#held.length < heldLines) this.#held.push(write)
    // One lost connection is no outage.
    if (this.#state === 'up') {
      this.#state = 'asking'
      this.#since = performance.now()
      void this.#ask(this.#database)
    }
    return true
  }

  async #ask(database: WatchedDatabase): Promise<void> {
    try {
      await withTimeout(kinds[database.dialect].ask(database), answerWithin)
      if (this.#database !== null) this.#markUp(kinds[database.dialect])
    } catch (error) {
      if (this.#database === null) return
      this.#unanswered++
      if (this.#unanswered === questions) await this.#markDown(database, error)
      if (this.#database === null) return
      this.#nextQuestion = setTimeout(() => void this.#ask(database), askAgainAfter).unref()
    }
  }

  #markUp({ up }: OutageKind): void {
    if (this.#state === 'down') {
      const seconds = Math.round((performance.now() - this.#since) / second)
      this.#log.info({ seconds, failures: this.#failures }, up)
    }
    this.#state = 'up'
    this.#failures = 0
    this.#unanswered = 0
    this.#release()
  }

  async #markDown(database: WatchedDatabase, error: unknown): Promise<void> {
    // Only a timeout, which has no code, leaves open whether the database itself is the reason.
    const isBusy = !(error instanceof Error && 'code' in error) && (await answersOutsidePool(database))
    if (this.#database === null) return
    this.#state = 'down'
    this.#held = []
    this.#log.error({ reason: reasonOf(error) }, isBusy ? busyWords : kinds[database.dialect].down)
  }

  #release(): void {
    const lines = this.#held
    this.#held = []
    for (const write of lines) write()
  }
}

/** Jobs that continue after a failure report all failures together. If one has another cause, its line is needed. */
function isOutage(error: unknown, kind: OutageKind): boolean {
  if (kind.isFailure(error)) return true
  const parts: unknown[] = error instanceof AggregateError ? error.errors : []
  return parts.length > 0 && parts.every((part) => isOutage(part, kind))
}

import { keepNewest } from '../kernel/cache/keep-newest.ts'
import type { RunningId } from './idempotency-store.ts'

/** In characters, as stored. Only lists of thousands of missing files are larger. */
const large = 64 * 1024
/** Of one account, in this process. Repeats follow within minutes. */
const mostKept = 20
const maxAccounts = 10_000

/** Which large answers are kept for repeats: nothing else counts them, and one request a second would fill the disk. */
export class LargeAnswers {
  readonly #ofAccounts = new Map<string, RunningId[]>()

  /** Returns the request whose answer has to be forgotten, if there is one. */
  add(accountId: string, request: RunningId, answer: string): RunningId | undefined {
    if (answer.length < large) return undefined
    const kept = this.#ofAccounts.get(accountId) ?? []
    kept.push(request)
    keepNewest(this.#ofAccounts, accountId, kept, maxAccounts)
    return kept.length > mostKept ? kept.shift() : undefined
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { second } from '../../kernel/clock.ts'

export interface RefusalPaceOptions {
  /** Refusals that one caller is told in a second. */
  perSecond: number
  /** Nobody waits longer. */
  longestWait: number
}

const defaults: RefusalPaceOptions = { perSecond: 20, longestWait: 5 * second }

/** Short enough that an honest client hardly notices. */
const shortestWait = 0.2 * second

/**
 * Paces the 429 answers of callers without credentials. A refusal costs little, but a client that asks again at once
 * would have thousands of them a second, and visitors of sites would wait for each.
 */
export class RefusalPace {
  readonly #options: RefusalPaceOptions
  /** When each caller is told its last refusal. */
  readonly #last = new Map<string, number>()

  constructor(options: RefusalPaceOptions = defaults) {
    this.#options = options
  }

  async wait(caller: string): Promise<void> {
    const { perSecond, longestWait } = this.#options
    if (perSecond === Number.POSITIVE_INFINITY) return
    const now = performance.now()
    const next = (this.#last.get(caller) ?? 0) + second / perSecond
    const at = Math.min(Math.max(next, now + shortestWait), now + longestWait)
    this.#last.set(caller, at)
    await sleep(at - now)
    if (this.#last.get(caller) === at) this.#last.delete(caller)
  }
}

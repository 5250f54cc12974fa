import { setTimeout as sleep } from 'node:timers/promises'
import { second } from '../../kernel/clock.ts'

export interface RejectionDelayOptions {
  /** Rejections sent to one caller per second. */
  perSecond: number
  maxWait: number
}

const defaults: RejectionDelayOptions = { perSecond: 20, maxWait: 5 * second }

/** Short enough that well-behaved clients hardly notice. */
const minWait = 0.2 * second

/**
 * Delays 429 responses to callers without credentials. A rejection is cheap, but a client that retries immediately
 * would cause thousands per second, which slows down visitors of sites.
 */
export class RejectionDelay {
  readonly #options: RejectionDelayOptions
  /** When the last rejection of each caller is sent. */
  readonly #last = new Map<string, number>()

  constructor(options: RejectionDelayOptions = defaults) {
    this.#options = options
  }

  async wait(caller: string): Promise<void> {
    const { perSecond, maxWait } = this.#options
    if (perSecond === Number.POSITIVE_INFINITY) return
    const now = performance.now()
    const next = (this.#last.get(caller) ?? 0) + second / perSecond
    const at = Math.min(Math.max(next, now + minWait), now + maxWait)
    this.#last.set(caller, at)
    await sleep(at - now)
    if (this.#last.get(caller) === at) this.#last.delete(caller)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'

export interface RejectionDelayOptions {
  /** Rejections sent to one caller per second. */
  perSecond: number
  /** A rejection that would have to wait longer is not sent. */
  maxWait: number
  /** Rejections that wait at once, of which each caller has a share. */
  maxWaiting: number
}

const defaults: RejectionDelayOptions = { perSecond: 20, maxWait: 5 * second, maxWaiting: 4_000 }

/** Milliseconds. Passed in, so that tests can control it. */
export interface DelayClock {
  now(): number
  sleep(ms: number): Promise<unknown>
}

const processClock: DelayClock = { now: () => performance.now(), sleep }

/** Short enough that well-behaved clients hardly notice. */
const minWait = 0.2 * second

/**
 * Delays 429 responses to callers without credentials. A rejection is cheap, but a client that retries immediately
 * would cause thousands per second, which slows down visitors of sites.
 */
export class RejectionDelay {
  readonly #options: RejectionDelayOptions
  readonly #clock: DelayClock
  readonly #waiting: FairSemaphore
  /** When the last rejection of each caller is sent. */
  readonly #last = new Map<string, number>()

  constructor(options: Partial<RejectionDelayOptions> = {}, clock: DelayClock = processClock) {
    this.#options = { ...defaults, ...options }
    this.#clock = clock
    this.#waiting = new FairSemaphore(this.#options.maxWaiting)
  }

  /**
   * Resolves when the rejection is due. False: too many of this caller are waiting, so end the connection without an
   * answer. What a trusted proxy forwards is always answered, because a proxy would take a closed connection for a server
   * that is down, and send nobody's requests to it.
   */
  async wait(caller: string, { isForwarded }: { isForwarded: boolean }): Promise<boolean> {
    const { perSecond, maxWait } = this.#options
    if (perSecond === Number.POSITIVE_INFINITY) return true
    const now = this.#clock.now()
    const next = (this.#last.get(caller) ?? 0) + second / perSecond
    const due = Math.max(next, now + minWait)
    const isTooLate = due > now + maxWait
    if ((isTooLate && !isForwarded) || !this.#waiting.tryAcquire(caller)) return isForwarded
    const at = isTooLate ? now + maxWait : due
    this.#last.set(caller, at)
    await this.#clock.sleep(at - now)
    this.#waiting.release(caller)
    if (this.#last.get(caller) === at) this.#last.delete(caller)
    return true
  }
}

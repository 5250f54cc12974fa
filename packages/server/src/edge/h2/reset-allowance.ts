export interface ResetLimits {
  /** Streams that a client may take back at once, and then by the second. */
  resetBurst: number
  resetRate: number
}

/** What a client still may take back: every request it does so with has cost us an answer. */
export class ResetAllowance {
  readonly #limits: ResetLimits
  readonly #now: () => number
  #left: number
  #asOf: number

  constructor(limits: ResetLimits, now: () => number = Date.now) {
    this.#limits = limits
    this.#now = now
    this.#left = limits.resetBurst
    this.#asOf = now()
  }

  /** Whether one more is within it. */
  take(): boolean {
    const now = this.#now()
    const { resetBurst, resetRate } = this.#limits
    const regained = (Math.max(0, now - this.#asOf) / 1000) * resetRate
    this.#left = Math.min(resetBurst, this.#left + regained) - 1
    this.#asOf = now
    return this.#left >= 0
  }
}

import { errorCodes, Http2Error } from './frames/protocol.ts'

export interface ControlLimits {
  /** Frames that ask for work but for no answer that a client may send at once, and then per second. */
  resetBurst: number
  resetRate: number
}

/** For each DATA frame a client may open the windows of its stream and of the connection, and measure its round trip. */
const creditsPerDataFrame = 3
const maxCredits = 1_000

/**
 * What one client may make us do besides answering: resets, also those it provokes, pings, settings, priorities, empty
 * frames and refused requests. One bucket for all of them, because a client could alternate between several.
 */
export class ControlBudget {
  readonly #limits: ControlLimits
  readonly #now: () => number
  #left: number
  #asOf: number
  #credits = 0

  constructor(limits: ControlLimits, now: () => number = Date.now) {
    this.#limits = limits
    this.#now = now
    this.#left = limits.resetBurst
    this.#asOf = now()
  }

  /** Throws Http2Error once the budget is used up. */
  spend(): void {
    const { resetBurst, resetRate } = this.#limits
    if (this.#left < 1) {
      const now = this.#now()
      const regained = (Math.max(0, now - this.#asOf) / 1000) * resetRate
      this.#left = Math.min(resetBurst, this.#left + regained)
      this.#asOf = now
    }
    this.#left -= 1
    if (this.#left < 0) throw new Http2Error(errorCodes.enhanceYourCalm, 'The client asks for too much')
  }

  /** For frames that every client sends as it reads. */
  spendCredit(): void {
    if (this.#credits === 0) this.spend()
    else this.#credits--
  }

  earn(dataFrames: number): void {
    this.#credits = Math.min(maxCredits, this.#credits + dataFrames * creditsPerDataFrame)
  }
}

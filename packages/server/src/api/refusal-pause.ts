import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough that a client which asks again at once asks five times a second, on each connection that it may hold. */
const defaultPause = 200

/** Each is a timer and a request that waits. More are answered at once. */
const mostWaiting = 1_000

/**
 * Lets strangers who are over their limit wait a moment for being told so. To refuse costs little, but thousands of
 * refusals a second are what visitors of sites would wait for.
 */
export class RefusalPause {
  readonly #pause: number
  #waiting = 0

  constructor(pause = defaultPause) {
    this.#pause = pause
  }

  async wait(): Promise<void> {
    if (this.#pause === 0 || this.#waiting >= mostWaiting) return
    this.#waiting++
    // Not all at once again: whoever waited together would come back together.
    await sleep(this.#pause * (0.5 + Math.random()))
    this.#waiting--
  }
}

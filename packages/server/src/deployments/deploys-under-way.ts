import { setTimeout as sleep } from 'node:timers/promises'

/** Between two calls of one deploy, such as its list and its files. */
const betweenCallsMs = 100
const lookAgainMs = 10

/** What of this process's work somebody waits for, so that work for later can let it pass. */
export class DeploysUnderWay {
  #calls = 0
  #endedAt = Number.NEGATIVE_INFINITY

  /** Every call of a deploy runs in this. */
  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#calls++
    try {
      return await call()
    } finally {
      this.#calls--
      this.#endedAt = performance.now()
    }
  }

  get any(): boolean {
    return this.#calls > 0 || performance.now() - this.#endedAt < betweenCallsMs
  }

  /** Waits until none is under way, for so long at most, and returns how long that took. An upload may last for hours. */
  async letPass(mostMs: number, stopping?: AbortSignal): Promise<number> {
    const started = performance.now()
    let waited = 0
    while (this.any && waited < mostMs && !stopping?.aborted) {
      await sleep(lookAgainMs, undefined, { signal: stopping }).catch(() => {})
      waited = performance.now() - started
    }
    return waited
  }
}

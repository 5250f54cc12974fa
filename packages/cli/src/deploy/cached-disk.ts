/** Longer than an answer from memory takes, shorter than one from a disk. */
const slowMs = 0.1
/** How many questions go through threads after a slow answer. */
const threadedAfterSlow = 24
/** How long Ctrl-C may wait. */
const maxTurnMs = 50

/**
 * Asks for files that are probably in memory. A synchronous question is then several times faster than one through
 * Node's threads; as soon as the disk is slow, several at once are.
 */
export class CachedDisk {
  #threaded = 0
  #turnStarted = performance.now()

  /** Returns a promise only if threads are used: thousands of promises would take longer than the answers. */
  ask<T>(now: () => T, later: () => Promise<T>): T | Promise<T> {
    const started = performance.now()
    if (this.#threaded > 0 || started - this.#turnStarted > maxTurnMs) return this.#askThreads(later)
    const answer = now()
    if (performance.now() - started > slowMs) this.#threaded = threadedAfterSlow
    return answer
  }

  async #askThreads<T>(later: () => Promise<T>): Promise<T> {
    this.#threaded = Math.max(0, this.#threaded - 1)
    const answer = await later()
    this.#turnStarted = performance.now()
    return answer
  }
}

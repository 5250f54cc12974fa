/** Longer than an answer from memory takes, shorter than one from a disk. */
const slowMs = 0.1
/** A single slow answer may be a pause of this process. The next one within so many answers is the disk. */
const slowTogether = 32
/** How many questions go through threads then. */
const threadedAfterSlow = 24
/** How long Ctrl-C may wait. */
const maxTurnMs = 50

/**
 * Asks for files that are probably in memory. A synchronous question is then several times faster than one through
 * Node's threads; as soon as the disk is slow, several at once are.
 */
export class CachedDisk {
  #threaded = 0
  #quickInARow = slowTogether
  #turnStarted = performance.now()

  /** Returns a promise only if threads are used: thousands of promises would take longer than the answers. */
  ask<T>(now: () => T, later: () => Promise<T>): T | Promise<T> {
    const started = performance.now()
    if (this.#threaded > 0 || started - this.#turnStarted > maxTurnMs) return this.#askThreads(later)
    const answer = now()
    if (performance.now() - started <= slowMs) this.#quickInARow++
    else {
      if (this.#quickInARow < slowTogether) this.#threaded = threadedAfterSlow
      this.#quickInARow = 0
    }
    return answer
  }

  /** Tell it when everything else had its turn anyway. */
  startTurn(): void {
    this.#turnStarted = performance.now()
  }

  async #askThreads<T>(later: () => Promise<T>): Promise<T> {
    this.#threaded = Math.max(0, this.#threaded - 1)
    const answer = await later()
    this.startTurn()
    return answer
  }
}

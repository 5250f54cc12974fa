/** What metrics tell apart. 429 is no part of 4xx: it is the limits at work. */
export type StatusClass = '2xx' | '3xx' | '4xx' | '429' | '5xx'

const tooManyRequests = 429

/** Counts final answers by their status. Every answer of a site passes here, so counting is one increment. */
export class ResponseCounts {
  readonly #byStatus = new Float64Array(600)

  count(status: number): void {
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1
  }

  byClass(): Record<StatusClass, number> {
    const limited = this.#byStatus[tooManyRequests] ?? 0
    return {
      '2xx': this.#between(200),
      '3xx': this.#between(300),
      '4xx': this.#between(400) - limited,
      '429': limited,
      '5xx': this.#between(500),
    }
  }

  #between(first: number): number {
    return this.#byStatus.subarray(first, first + 100).reduce((sum, count) => sum + count, 0)
  }
}

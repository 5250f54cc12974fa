/**
 * Bounds what an edge remembers of answers, of all sites together. When it is too much, it starts over: finding out what
 * nobody asks for any more would cost each answer more than building the others again.
 */
export class AnswerMemory {
  readonly #limit: number
  #bytes = 0
  #generation: object = {}

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit
  }

  /** What is remembered has this as a weak key, so that all of it is freed at once. */
  get generation(): object {
    return this.#generation
  }

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#limit) return
    this.#bytes = 0
    this.#generation = {}
  }
}

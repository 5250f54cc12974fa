/**
 * Work that waits for the end of a turn of the event loop. What is alike is done together, which keeps its code and data
 * in the processor's caches: everything is read first, then answered, then written.
 */
export class Turn {
  #answers: (() => void)[] = []
  #writes: (() => void)[] = []
  #isDue = false

  answerLater(act: () => void): void {
    this.#answers.push(act)
    this.#schedule()
  }

  writeLater(act: () => void): void {
    this.#writes.push(act)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(this.run)
  }

  /** Does now what waits. */
  readonly run = (): void => {
    const answers = this.#answers
    this.#answers = []
    for (const act of answers) act()
    this.#isDue = false
    const writes = this.#writes
    this.#writes = []
    for (const act of writes) act()
    if (this.#answers.length > 0 || this.#writes.length > 0) this.#schedule()
  }
}

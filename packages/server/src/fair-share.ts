/** What one caller may hold, as a part of what is still free. */
const part = 1 / 4

/**
 * Places that callers share. What one may hold shrinks with what is left: alone a caller gets a fifth of all places, and
 * it takes dozens of greedy ones to leave no room for somebody who wants a single place.
 */
export class FairShare {
  readonly #places: number
  readonly #held = new Map<string, number>()
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  get taken(): number {
    return this.#taken
  }

  get isFull(): boolean {
    return this.#taken >= this.#places
  }

  /** Null: somebody who stands for many others, and has all that is free. */
  hasRoomFor(caller: string | null): boolean {
    const free = this.#places - this.#taken
    return caller === null ? free > 0 : this.#heldBy(caller) < free * part
  }

  /** Whether there was room. What was taken is to be given back by `leave`. */
  enter(caller: string | null): boolean {
    if (!this.hasRoomFor(caller)) return false
    this.#taken++
    if (caller !== null) this.#held.set(caller, this.#heldBy(caller) + 1)
    return true
  }

  leave(caller: string | null): void {
    this.#taken--
    if (caller === null) return
    const left = this.#heldBy(caller) - 1
    if (left > 0) this.#held.set(caller, left)
    else this.#held.delete(caller)
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0
  }
}

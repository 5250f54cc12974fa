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

export interface FairQueueOptions {
  /** What is done at one time. */
  places: number
  /** Of which a caller has a share as well. */
  mostWaiting?: number
}

/** More than a machine should have under way: whoever comes now is better told so. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'

  constructor() {
    super('Too much is waited for already')
  }
}

/**
 * Work that callers may have done for them, so much at a time. Those for whom there is no place wait, one caller after
 * the other: who wants much waits for it, and who wants little hardly at all.
 */
export class FairQueue {
  readonly #share: FairShare
  readonly #waitingShare: FairShare
  /** The next caller first. Null: somebody who stands for many. */
  readonly #waiting = new Map<string | null, (() => void)[]>()

  constructor({ places, mostWaiting = 4000 }: FairQueueOptions) {
    this.#share = new FairShare(places)
    this.#waitingShare = new FairShare(mostWaiting)
  }

  async take<T>(caller: string | null, work: () => Promise<T>): Promise<T> {
    if (!this.#share.enter(caller)) await this.#turnOf(caller)
    try {
      return await work()
    } finally {
      this.#share.leave(caller)
      this.#letIn()
    }
  }

  #turnOf(caller: string | null): Promise<void> {
    if (!this.#waitingShare.enter(caller)) throw new QueueFullError()
    return new Promise((letIn) => {
      const others = this.#waiting.get(caller)
      if (others === undefined) this.#waiting.set(caller, [letIn])
      else others.push(letIn)
    })
  }

  #letIn(): void {
    for (const [caller, waiting] of this.#waiting) {
      if (!this.#share.enter(caller)) continue
      const letIn = waiting.shift()
      this.#waiting.delete(caller)
      if (waiting.length > 0) this.#waiting.set(caller, waiting)
      this.#waitingShare.leave(caller)
      letIn?.()
      return
    }
  }
}

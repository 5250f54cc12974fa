import { FairShare } from './fair-share.ts'

export interface FairTurnsOptions {
  /** What is done at one time. */
  places: number
  mostWaiting?: number
}

/** More than a machine should have under way: whoever comes now is better told so. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn'

  constructor() {
    super('Too much is waited for already')
  }
}

/**
 * Work that callers may have done for them, so much at a time. Those for whom there is no place wait, one caller after
 * the other: who wants much waits for it, and who wants little hardly at all.
 */
export class FairTurns {
  readonly #share: FairShare
  readonly #mostWaiting: number
  /** The next caller first. Null: somebody who stands for many. */
  readonly #waiting = new Map<string | null, (() => void)[]>()
  #count = 0

  constructor({ places, mostWaiting = 2000 }: FairTurnsOptions) {
    this.#share = new FairShare(places)
    this.#mostWaiting = mostWaiting
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
    if (this.#count >= this.#mostWaiting) throw new NoTurn()
    this.#count++
    return new Promise((letIn) => {
      const others = this.#waiting.get(caller)
      if (others === undefined) this.#waiting.set(caller, [letIn])
      else others.push(letIn)
    })
  }

  #letIn(): void {
    for (const [caller, waiting] of this.#waiting) {
      if (!this.#share.enter(caller)) continue
      const [letIn, ...others] = waiting
      this.#waiting.delete(caller)
      if (others.length > 0) this.#waiting.set(caller, others)
      this.#count--
      letIn?.()
      return
    }
  }
}

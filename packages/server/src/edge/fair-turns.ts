import { FairShare } from '../fair-share.ts'

export interface FairTurnsOptions {
  /** What is done at one time. */
  places: number
  /** Of which a caller has a share as well. */
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
  readonly #waitingShare: FairShare
  /** The next caller first. Null: somebody who stands for many. */
  readonly #waiting = new Map<string | null, (() => void)[]>()

  constructor({ places, mostWaiting = 4000 }: FairTurnsOptions) {
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
    if (!this.#waitingShare.enter(caller)) throw new NoTurn()
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

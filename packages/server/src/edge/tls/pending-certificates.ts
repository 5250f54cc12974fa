import { setTimeout as sleep } from 'node:timers/promises'

export interface PendingCertificatesOptions<Value> {
  /** Whether what is asked for will be there soon. */
  isOnItsWay: (name: string) => Promise<boolean>
  /** Null: not there yet. */
  load: (name: string) => Promise<Value | null>
  /** How long somebody waits at most. */
  patience?: number | undefined
  mostNames?: number | undefined
}

interface Wait<Value> {
  ended: Promise<Value | null>
  /** How often something about the name has changed. */
  changes: number
  isOver: boolean
  wake: () => void
}

/** Between two looks, twice as long each time. */
const firstPause = 5
const longestPause = 1000

/**
 * What is on its way is waited for, instead of telling the first visitors that there is nothing. All who ask for a name
 * share one wait, and it ends: with what they want, when it is no longer on its way, or when patience does.
 */
export class PendingCertificates<Value> {
  readonly #options: PendingCertificatesOptions<Value>
  readonly #patience: number
  readonly #mostNames: number
  readonly #waits = new Map<string, Wait<Value>>()

  constructor(options: PendingCertificatesOptions<Value>) {
    this.#options = options
    this.#patience = options.patience ?? 30_000
    this.#mostNames = options.mostNames ?? 1000
  }

  /** The wait for a name that others wait for already. */
  underWay(name: string): Promise<Value | null> | null {
    return this.#waits.get(name)?.ended ?? null
  }

  /** Null: it is not on its way, or has not come. */
  wait(name: string): Promise<Value | null> {
    const underWay = this.underWay(name)
    if (underWay !== null) return underWay
    if (this.#waits.size >= this.#mostNames) return Promise.resolve(null)
    const wait: Wait<Value> = { ended: Promise.resolve(null), changes: 0, isOver: false, wake: () => {} }
    const timer = setTimeout(() => {
      wait.isOver = true
      wait.wake()
    }, this.#patience)
    this.#waits.set(name, wait)
    wait.ended = this.#waitOut(name, wait).finally(() => {
      clearTimeout(timer)
      this.#waits.delete(name)
    })
    return wait.ended
  }

  /** Something about these names has changed; null: about any. */
  tell(names: readonly string[] | null): void {
    for (const name of names ?? this.#waits.keys()) {
      const wait = this.#waits.get(name)
      if (wait === undefined) continue
      wait.changes++
      wait.wake()
    }
  }

  async #waitOut(name: string, wait: Wait<Value>): Promise<Value | null> {
    for (let pause = 0; !wait.isOver; pause = Math.min(Math.max(2 * pause, firstPause), longestPause)) {
      const { changes } = wait
      // A look may itself cause the next change: the event loop gets its turn between two, and their number is bounded.
      if (pause > 0) await sleep(pause)
      const isOnItsWay = await this.#options.isOnItsWay(name)
      // It may be there by now, and no longer on its way for that reason: news of it come later, or came before.
      if (!isOnItsWay) return this.#options.load(name)
      // Unless something has changed while that was looked up.
      if (wait.changes === changes) {
        await new Promise<void>((wake) => {
          wait.wake = wake
        })
      }
      const value = await this.#options.load(name)
      if (value !== null) return value
    }
    return null
  }
}

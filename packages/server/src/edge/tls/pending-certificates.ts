import { setTimeout as sleep } from 'node:timers/promises'
import { singleFlight } from '../../kernel/single-flight.ts'

export interface PendingCertificatesOptions<Value> {
  /** Whether the first certificate of the name is being issued. */
  isPending: (name: string) => Promise<boolean>
  /** Null if it is not there yet. */
  load: (name: string) => Promise<Value | null>
  timeoutMs?: number | undefined
  maxNames?: number | undefined
}

interface Wait {
  /** How often something about the name has changed. */
  changes: number
  isOver: boolean
  wake: () => void
}

/** The pause between two checks, doubled each time. */
const firstPause = 5
const longestPause = 1000

/**
 * Waits for certificates that are being issued, instead of refusing the first visitors. Everyone who asks for a name
 * shares one wait. It ends with the certificate, when that is no longer pending, or after a timeout.
 */
export class PendingCertificates<Value> {
  readonly #options: PendingCertificatesOptions<Value>
  readonly #timeoutMs: number
  readonly #maxNames: number
  readonly #waits = new Map<string, Wait>()

  /** Null if it is not pending, or did not come. */
  readonly wait = singleFlight((name: string) => this.#startWait(name))

  constructor(options: PendingCertificatesOptions<Value>) {
    this.#options = options
    this.#timeoutMs = options.timeoutMs ?? 30_000
    this.#maxNames = options.maxNames ?? 1000
  }

  /** The wait for a name if there is one already. */
  currentWait(name: string): Promise<Value | null> | null {
    return this.#waits.has(name) ? this.wait(name) : null
  }

  /** Something about these names has changed; null means any name. */
  notify(names: readonly string[] | null): void {
    for (const name of names ?? this.#waits.keys()) {
      const wait = this.#waits.get(name)
      if (wait === undefined) continue
      wait.changes++
      wait.wake()
    }
  }

  async #startWait(name: string): Promise<Value | null> {
    if (this.#waits.size >= this.#maxNames) return null
    const wait: Wait = { changes: 0, isOver: false, wake: () => {} }
    const timer = setTimeout(() => {
      wait.isOver = true
      wait.wake()
    }, this.#timeoutMs)
    this.#waits.set(name, wait)
    try {
      return await this.#poll(name, wait)
    } finally {
      clearTimeout(timer)
      this.#waits.delete(name)
    }
  }

  async #poll(name: string, wait: Wait): Promise<Value | null> {
    for (let pause = 0; !wait.isOver; pause = Math.min(Math.max(2 * pause, firstPause), longestPause)) {
      const { changes } = wait
      // A check may itself cause the next change: the pause frees the event loop and bounds the number of checks.
      if (pause > 0) await sleep(pause)
      const isPending = await this.#options.isPending(name)
      // It may no longer be pending because it is there, before or without a notification.
      if (!isPending) return this.#options.load(name)
      // Unless something changed during the check.
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

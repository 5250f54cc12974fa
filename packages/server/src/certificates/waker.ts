import { setImmediate as immediate } from 'node:timers/promises'

/** Somebody who sleeps until it is time, or until woken. A call while nobody sleeps ends the next sleep at once. */
export interface Waker {
  wake(): void
  sleep(milliseconds: number): Promise<void>
}

export function createWaker(): Waker {
  let called = false
  let sleeper: (() => void) | null = null
  return {
    wake() {
      called = true
      sleeper?.()
    },
    async sleep(milliseconds) {
      if (!called && milliseconds > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        sleeper = resolve
        const timer = setTimeout(resolve, milliseconds).unref()
        await promise
        clearTimeout(timer)
        sleeper = null
      }
      called = false
      // SQLite answers without a turn of the event loop: who is called again and again must not keep it from others.
      await immediate()
    },
  }
}

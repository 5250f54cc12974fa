import { setImmediate as immediate } from 'node:timers/promises'

/** A sleep that can be interrupted. Waking while nothing sleeps ends the next sleep immediately. */
export interface Waker {
  wake(): void
  sleep(milliseconds: number): Promise<void>
}

export function createWaker(): Waker {
  let isAwake = false
  let sleeper: (() => void) | null = null
  return {
    wake() {
      isAwake = true
      sleeper?.()
    },
    async sleep(milliseconds) {
      if (!isAwake && milliseconds > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        sleeper = resolve
        const timer = setTimeout(resolve, milliseconds).unref()
        await promise
        clearTimeout(timer)
        sleeper = null
      }
      isAwake = false
      // SQLite is synchronous: without this, frequent wakes would starve the event loop.
      await immediate()
    },
  }
}

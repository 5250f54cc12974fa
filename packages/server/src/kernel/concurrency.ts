import { setImmediate } from 'node:timers/promises'

/** Runs `work` over all items, `atOnce` at a time. After a failure nothing new starts, and what is running finishes. */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  let failed = false
  async function runner(): Promise<void> {
    for (let next = rest.next(); !next.done && !failed; next = rest.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true
        throw error
      })
    }
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, runner))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Long enough that pausing costs little, short enough that other requests do not notice. */
const sliceMs = 10

/** Lets long-running work yield to the event loop now and then. */
export class TimeSlice {
  #since = performance.now()

  /** Await this where the work can be interrupted. Returns immediately unless the slice is used up. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#since < sliceMs ? undefined : this.#wait()
  }

  async #wait(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}

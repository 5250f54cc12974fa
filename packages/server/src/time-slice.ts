import { setImmediate } from 'node:timers/promises'

/** Long enough that pausing costs little, short enough that nobody else notices. */
const sliceMs = 10

/** Long work pauses here and there, so that whatever else the process does goes on meanwhile. */
export class TimeSlice {
  #since = performance.now()

  /** To be awaited where the work can be interrupted. Returns at once unless the slice is used up. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#since < sliceMs ? undefined : this.#wait()
  }

  async #wait(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}

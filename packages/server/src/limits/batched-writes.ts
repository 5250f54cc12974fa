import type { Writable } from 'node:stream'

const commandsPerPacket = 16

/**
 * Commands of one turn of the event loop leave together, which saves system calls on both sides; but not all of
 * them at once, or Redis would have nothing to do while we prepare the rest.
 */
export class BatchedWrites {
  #commands = 0

  /** To be called before each command. */
  next(stream: Writable): void {
    if (this.#commands === 0) {
      stream.cork()
      process.nextTick(() => {
        this.#commands = 0
        stream.uncork()
      })
    } else if (this.#commands % commandsPerPacket === 0) {
      stream.uncork()
      stream.cork()
    }
    this.#commands++
  }
}

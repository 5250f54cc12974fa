import type { Duplex, Readable } from 'node:stream'
import { second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { cutOff } from './close-connection.ts'

/** Connections that are read after their last answer. */
const limits = { total: 64, perCaller: 4, time: 10 * second }

/** How fast the connections of one caller are read together: 8 MiB per second. */
const pace = { bytes: 64 * 1024, pause: 8 }

/** Ends a connection whose client still sends. A null caller is a proxy. */
export type DropInput = (socket: Duplex, caller: string | null) => void

/**
 * Ends connections after what was written to them, and reads what the client still sends, slowly, to drop it. Many
 * clients read the answer only once they have sent everything, and closing with unread input would make the system
 * discard the answer. Over the limits nothing more is read.
 */
export function createDropInput(): DropInput {
  const slots = new FairSemaphore(limits.total, limits.perCaller)
  return (socket, caller) => {
    socket.end()
    if (socket.destroyed || socket.readableEnded) return
    if (!slots.tryAcquire(caller)) {
      cutOff(socket)
      return
    }
    const timer = setTimeout(() => socket.destroy(), limits.time)
    socket.once('close', () => {
      clearTimeout(timer)
      slots.release(caller)
    })
    readSlowly(socket, () => (caller === null ? 1 : slots.heldBy(caller)))
  }
}

/** Reads and drops the input of a caller that is read on so many connections at once. */
export function readSlowly(stream: Readable, connections: () => number): void {
  let unpaused = 0
  stream.on('data', (chunk: Buffer) => {
    unpaused += chunk.length
    if (unpaused < pace.bytes) return
    unpaused = 0
    stream.pause()
    setTimeout(() => stream.resume(), pace.pause * Math.max(1, connections()))
  })
  stream.resume()
}

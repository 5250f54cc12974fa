import type { Readable } from 'node:stream'
import { second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { cutOff } from '../../kernel/sockets/cut-off.ts'
import type { SiteSocket } from '../sockets/site-socket.ts'

/** Connections that are read after their last answer. */
const limits = { total: 64, perCaller: 4, time: 10 * second }

/** How fast the connections of one caller are read together: 8 MiB per second. */
const pace = { bytes: 64 * 1024, pause: 8 }

/** Ends a connection whose client still sends. A null caller is a proxy. */
export type DropInput = (socket: SiteSocket, caller: string | null) => void

/**
 * Ends connections after what was written to them, and reads what the client still sends, slowly, to drop it. Many
 * clients read the answer only once they have sent everything, and closing with unread input would make the system
 * discard the answer. Over the limits nothing more is read.
 */
export function createDropInput(): DropInput {
  const slots = new FairSemaphore(limits.total, limits.perCaller)
  return (socket, caller) => {
    const { stream } = socket
    socket.afterAll(() => stream.end())
    if (stream.destroyed || stream.readableEnded) return
    if (!slots.tryAcquire(caller)) {
      cutOff(stream)
      return
    }
    const timer = setTimeout(() => stream.destroy(), limits.time)
    stream.once('close', () => {
      clearTimeout(timer)
      slots.release(caller)
    })
    const drop = dropSlowly(stream, () => (caller === null ? 1 : slots.heldBy(caller)))
    socket.read((_, length) => drop(length))
    stream.resume()
  }
}

/** Reads and drops the input of a caller that is read on so many connections at once. */
export function readSlowly(stream: Readable, connections: () => number): void {
  const drop = dropSlowly(stream, connections)
  stream.on('data', (chunk: Buffer) => drop(chunk.length))
  stream.resume()
}

/** To be told of everything that was read. */
function dropSlowly(stream: Readable, connections: () => number): (length: number) => void {
  let unpaused = 0
  return (length) => {
    unpaused += length
    if (unpaused < pace.bytes) return
    unpaused = 0
    stream.pause()
    setTimeout(() => stream.resume(), pace.pause * Math.max(1, connections()))
  }
}

import type { Server, Socket } from 'node:net'
import { ConnectionPlaces } from './connection-places.ts'
import { holderOf } from './proxies.ts'

/** So often in `idleTimeout` it is looked at connections. After one look without movement they give way to others. */
export const looksInTime = 8

export interface ConnectionLimits {
  /** Nothing moves on a connection, between requests too. */
  idleTimeout: number
  /** Connections at one time, of which those of one address have a fair share. */
  maxConnections: number
}

/** What is looked at from time to time. */
export interface Watched {
  /** Whether something has moved since the last look. */
  look(): boolean
  end(): void
}

export interface Connections {
  count(): number
  /** How many found no room. */
  refused(): number
  cut(): void
  /** Whether there is room for it; else it is closed. */
  admit(socket: Socket): boolean
  /** From now on ends this one if nothing moves on it for too long. */
  watch(socket: Socket, watched: Watched): void
}

/**
 * Follows the connections of a server: no more are open than there is room for, and none on which nothing moves for
 * `idleTimeout`. They are looked at all at once: a timer of each one's own would be set anew by every read and write.
 */
export function followConnections(
  server: Server,
  { idleTimeout, maxConnections }: ConnectionLimits,
  isProxy: (address: string) => boolean,
): Connections {
  const places = new ConnectionPlaces<Socket>(maxConnections)
  const followed = new Map<Socket, { watched: Watched; unmoved: number }>()
  let refused = 0
  const looking = setInterval(look, idleTimeout / looksInTime).unref()
  server.once('close', () => clearInterval(looking))
  return { count: () => places.size, refused: () => refused, cut, admit, watch }

  function cut(): void {
    for (const socket of places.all()) socket.destroy()
  }

  function admit(socket: Socket): boolean {
    const { remoteAddress: address = '' } = socket
    const caller = holderOf(address, isProxy)
    if (!places.enter(socket, caller)) {
      const idle = places.takeIdle(caller)
      if (idle !== undefined) followed.get(idle)?.watched.end()
      if (idle === undefined || !places.enter(socket, caller)) {
        refused++
        socket.destroy()
        return false
      }
    }
    socket.once('close', () => {
      places.leave(socket)
      followed.delete(socket)
    })
    return true
  }

  function watch(socket: Socket, watched: Watched): void {
    followed.set(socket, { watched, unmoved: 0 })
  }

  function look(): void {
    for (const [socket, seen] of followed) {
      if (seen.watched.look()) {
        seen.unmoved = 0
        places.isBusy(socket)
      } else {
        seen.unmoved++
        places.isIdle(socket)
        if (seen.unmoved >= looksInTime) seen.watched.end()
      }
    }
  }
}

/** Bytes in either direction: stops those who stall, not those who are slow. */
export function byBytes(socket: Socket): Watched {
  let before = 0
  return {
    look() {
      const now = socket.bytesRead + socket.bytesWritten - socket.writableLength
      const hasMoved = now !== before
      before = now
      return hasMoved
    },
    end: () => void socket.destroy(),
  }
}

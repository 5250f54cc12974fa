import type { Server, Socket } from 'node:net'
import { FairShare } from '../../kernel/fair-queue.ts'
import { callerUnlessProxy } from './trusted-proxies.ts'

/**
 * Room for connections, shared fairly by those who hold them, and which of them are idle: they are the first to give way.
 * Every step costs the same, however many there are.
 */
export class ConnectionSlots<Connection> {
  readonly #places: FairShare
  readonly #held = new Map<Connection, string | null>()
  /** In the order in which they became so: all of them, and those of each caller. */
  readonly #idle = new Set<Connection>()
  readonly #idleOf = new Map<string, Set<Connection>>()

  constructor(places: number) {
    this.#places = new FairShare(places)
  }

  get size(): number {
    return this.#held.size
  }

  all(): Iterable<Connection> {
    return this.#held.keys()
  }

  /** Whether there was room. Null: somebody who stands for many. */
  enter(connection: Connection, caller: string | null): boolean {
    if (!this.#places.enter(caller)) return false
    this.#held.set(connection, caller)
    return true
  }

  leave(connection: Connection): void {
    const caller = this.#held.get(connection)
    if (caller === undefined) return
    this.isBusy(connection)
    this.#held.delete(connection)
    this.#places.leave(caller)
  }

  /**
   * The place of the one that is idle for longest is free again: of the caller's own, or of all where no place is left.
   * Who is only beyond its share takes nothing from others.
   */
  takeIdle(caller: string | null): Connection | undefined {
    const own = caller === null ? undefined : this.#idleOf.get(caller)
    const [first] = own ?? (this.#places.isFull ? this.#idle : [])
    if (first !== undefined) this.leave(first)
    return first
  }

  isIdle(connection: Connection): void {
    const caller = this.#held.get(connection)
    if (caller === undefined || this.#idle.has(connection)) return
    this.#idle.add(connection)
    if (caller === null) return
    const others = this.#idleOf.get(caller)
    if (others === undefined) this.#idleOf.set(caller, new Set([connection]))
    else others.add(connection)
  }

  isBusy(connection: Connection): void {
    if (!this.#idle.delete(connection)) return
    const caller = this.#held.get(connection)
    const others = typeof caller === 'string' ? this.#idleOf.get(caller) : undefined
    others?.delete(connection)
    if (typeof caller === 'string' && others?.size === 0) this.#idleOf.delete(caller)
  }
}

/** So often in `idleTimeout` it is looked at connections. After one look without movement they give way to others. */
export const checksPerTimeout = 8

export interface ConnectionLimits {
  /** Nothing moves on a connection, between requests too. */
  idleTimeout: number
  /** Connections at one time, of which those of one address have a fair share. */
  maxConnections: number
}

/** What is looked at from time to time. */
export interface ActivityMonitor {
  /** Whether something has moved since the last look. */
  look(): boolean
  end(): void
}

export interface TrackedConnections {
  count(): number
  /** How many found no room. */
  refused(): number
  cut(): void
  /** Whether there is room for it; else it is closed. */
  admit(socket: Socket): boolean
  /** From now on ends this one if nothing moves on it for too long. */
  watch(socket: Socket, watched: ActivityMonitor): void
}

/**
 * Follows the connections of a server: no more are open than there is room for, and none on which nothing moves for
 * `idleTimeout`. They are looked at all at once: a timer of each one's own would be set anew by every read and write.
 */
export function trackConnections(
  server: Server,
  { idleTimeout, maxConnections }: ConnectionLimits,
  isProxy: (address: string) => boolean,
): TrackedConnections {
  const places = new ConnectionSlots<Socket>(maxConnections)
  const followed = new Map<Socket, { watched: ActivityMonitor; unmoved: number }>()
  let refused = 0
  const looking = setInterval(look, idleTimeout / checksPerTimeout).unref()
  server.once('close', () => clearInterval(looking))
  return { count: () => places.size, refused: () => refused, cut, admit, watch }

  function cut(): void {
    for (const socket of places.all()) socket.destroy()
  }

  function admit(socket: Socket): boolean {
    const { remoteAddress: address = '' } = socket
    const caller = callerUnlessProxy(address, isProxy)
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

  function watch(socket: Socket, watched: ActivityMonitor): void {
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
        if (seen.unmoved >= checksPerTimeout) seen.watched.end()
      }
    }
  }
}

/** Bytes in either direction: stops those who stall, not those who are slow. */
export function monitorBytes(socket: Socket): ActivityMonitor {
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

import type { Server, Socket } from 'node:net'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { callerUnlessProxy } from './trusted-proxies.ts'

export interface ConnectionLimits {
  /** How long a connection may go without traffic, also between requests. */
  idleTimeout: number
  /** Open connections, of which each caller has a share. */
  maxConnections: number
}

export interface ListenerLimits extends ConnectionLimits {
  /** For the whole request head. */
  headersTimeout: number
  /** For the whole request: enough for 1 GiB at 600 kbit/s. */
  requestTimeout: number
  maxHeaderSize: number
}

export const defaultListenerLimits: ListenerLimits = {
  headersTimeout: 15_000,
  idleTimeout: 120_000,
  requestTimeout: 4 * 60 * 60 * 1000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 20_000,
}

/**
 * Connection slots, shared fairly between callers. When they run out, the connection that was idle longest is evicted.
 * Every operation takes constant time, however many connections there are.
 */
export class ConnectionSlots<Connection> {
  readonly #slots: FairSemaphore
  readonly #held = new Map<Connection, string | null>()
  /** Sets keep insertion order, so the first is idle longest. */
  readonly #idle = new Set<Connection>()
  readonly #idleByCaller = new Map<string, Set<Connection>>()

  constructor(size: number) {
    this.#slots = new FairSemaphore(size)
  }

  get size(): number {
    return this.#held.size
  }

  all(): Iterable<Connection> {
    return this.#held.keys()
  }

  /** A null caller is a proxy, which speaks for many clients. */
  tryAcquire(connection: Connection, caller: string | null): boolean {
    if (!this.#slots.tryAcquire(caller)) return false
    this.#held.set(connection, caller)
    return true
  }

  release(connection: Connection): void {
    const caller = this.#held.get(connection)
    if (caller === undefined) return
    this.markBusy(connection)
    this.#held.delete(connection)
    this.#slots.release(caller)
  }

  /**
   * Frees the slot of the connection that was idle longest: one of the caller's own, or anybody's if no slot is free. A
   * caller that is only over its share takes nothing from others.
   */
  evictIdle(caller: string | null): Connection | undefined {
    const own = caller === null ? undefined : this.#idleByCaller.get(caller)
    const [oldest] = own ?? (this.#slots.isFull ? this.#idle : [])
    if (oldest !== undefined) this.release(oldest)
    return oldest
  }

  markIdle(connection: Connection): void {
    const caller = this.#held.get(connection)
    if (caller === undefined || this.#idle.has(connection)) return
    this.#idle.add(connection)
    if (caller === null) return
    const own = this.#idleByCaller.get(caller)
    if (own === undefined) this.#idleByCaller.set(caller, new Set([connection]))
    else own.add(connection)
  }

  markBusy(connection: Connection): void {
    if (!this.#idle.delete(connection)) return
    const caller = this.#held.get(connection)
    const own = typeof caller === 'string' ? this.#idleByCaller.get(caller) : undefined
    own?.delete(connection)
    if (typeof caller === 'string' && own?.size === 0) this.#idleByCaller.delete(caller)
  }
}

/** How often connections are checked per `idleTimeout`. One check without traffic makes a connection evictable. */
export const checksPerTimeout = 8

export interface ActivityMonitor {
  /** Whether there was traffic since the previous check. */
  checkActivity(): boolean
  end(): void
}

export interface TrackedConnections {
  count(): number
  refused(): number
  destroyAll(): void
  /** Destroys the socket and returns false if there is no slot for it. */
  admit(socket: Socket): boolean
  /** Ends the connection once there was no activity for `idleTimeout`. */
  watch(socket: Socket, monitor: ActivityMonitor): void
}

/**
 * Bounds how many connections of a server are open, and ends idle ones. One interval checks them all: a timer per
 * connection would have to be reset on every read and write.
 */
export function trackConnections(
  server: Server,
  { idleTimeout, maxConnections }: ConnectionLimits,
  isProxy: (address: string) => boolean,
): TrackedConnections {
  const slots = new ConnectionSlots<Socket>(maxConnections)
  const watched = new Map<Socket, { monitor: ActivityMonitor; idleChecks: number }>()
  let refused = 0
  const checking = setInterval(checkAll, idleTimeout / checksPerTimeout).unref()
  server.once('close', () => clearInterval(checking))
  return { count: () => slots.size, refused: () => refused, destroyAll, admit, watch }

  function destroyAll(): void {
    for (const socket of slots.all()) socket.destroy()
  }

  function admit(socket: Socket): boolean {
    const { remoteAddress: address = '' } = socket
    const caller = callerUnlessProxy(address, isProxy)
    if (!slots.tryAcquire(socket, caller)) {
      const evicted = slots.evictIdle(caller)
      if (evicted !== undefined) watched.get(evicted)?.monitor.end()
      if (evicted === undefined || !slots.tryAcquire(socket, caller)) {
        refused++
        socket.destroy()
        return false
      }
    }
    socket.once('close', () => {
      slots.release(socket)
      watched.delete(socket)
    })
    return true
  }

  function watch(socket: Socket, monitor: ActivityMonitor): void {
    watched.set(socket, { monitor, idleChecks: 0 })
  }

  function checkAll(): void {
    for (const [socket, entry] of watched) {
      if (entry.monitor.checkActivity()) {
        entry.idleChecks = 0
        slots.markBusy(socket)
      } else {
        entry.idleChecks++
        slots.markIdle(socket)
        if (entry.idleChecks >= checksPerTimeout) entry.monitor.end()
      }
    }
  }
}

/** Counts bytes in both directions, so it catches stalled connections but not slow ones. */
export function monitorBytes(socket: Socket): ActivityMonitor {
  let before = 0
  return {
    checkActivity() {
      const now = socket.bytesRead + socket.bytesWritten - socket.writableLength
      const hasMoved = now !== before
      before = now
      return hasMoved
    },
    end: () => void socket.destroy(),
  }
}

import { FairShare } from '../fair-share.ts'

/**
 * Room for connections, shared fairly by those who hold them, and which of them are idle: they are the first to give way.
 * Every step costs the same, however many there are.
 */
export class ConnectionPlaces<Connection> {
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

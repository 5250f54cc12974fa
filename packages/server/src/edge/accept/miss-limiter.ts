import { callerOf } from '../../limits/caller-address.ts'

export interface MissLimits {
  /** Misses per second after which a caller is refused. */
  perCaller: number
  /** Misses per second, of all callers, after which every caller with a miss is refused. */
  total: number
  /** After this many misses everyone is refused. */
  totalForFirstMiss: number
}

export const defaultMissLimits: MissLimits = { perCaller: 20, total: 200, totalForFirstMiss: 500 }

/**
 * Limits look-ups of things that do not exist, per second. Names are free to invent, and each costs queries. In a flood
 * from many addresses only callers with a miss of their own are refused, so others still get through.
 */
export class MissLimiter {
  readonly #limits: MissLimits
  readonly #now: () => number
  readonly #byCaller = new Map<string, number>()
  #second = 0
  #total = 0

  constructor(limits: MissLimits = defaultMissLimits, now: () => number = Date.now) {
    this.#limits = limits
    this.#now = now
  }

  add(address: string): void {
    this.#tick()
    this.#total++
    // Everyone is refused from here on, so counting callers would only grow the map.
    if (this.#total > this.#limits.totalForFirstMiss) return
    const caller = callerOf(address)
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + 1)
  }

  isOverLimit(address: string): boolean {
    this.#tick()
    const { perCaller, total, totalForFirstMiss } = this.#limits
    const own = this.#byCaller.get(callerOf(address)) ?? 0
    return own >= perCaller || this.#total >= (own === 0 ? totalForFirstMiss : total)
  }

  #tick(): void {
    const second = Math.floor(this.#now() / 1000)
    if (second === this.#second) return
    this.#second = second
    this.#total = 0
    this.#byCaller.clear()
  }
}

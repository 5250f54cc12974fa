import { callerOf } from '../../limits/caller-address.ts'

export interface MissLimits {
  perAddress: number
  perSecond: number
  /** What those may still ask who have not asked in vain in this second. */
  perSecondAtFirst: number
}

export const defaultMissLimits: MissLimits = { perAddress: 20, perSecond: 200, perSecondAtFirst: 500 }

/**
 * Counts what was asked for and is not there, a second at a time. Names can be made up without end, and each costs
 * queries: who asks for many is not answered any more. Where many do, that goes for all who have asked in vain at all,
 * so that a flood does not keep out who has nothing to do with it.
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
    // Beyond it nobody is answered, whatever was counted for them.
    if (this.#total > this.#limits.perSecondAtFirst) return
    const caller = callerOf(address)
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + 1)
  }

  isTooMuchFrom(address: string): boolean {
    this.#tick()
    const { perAddress, perSecond, perSecondAtFirst } = this.#limits
    const own = this.#byCaller.get(callerOf(address)) ?? 0
    return own >= perAddress || this.#total >= (own === 0 ? perSecondAtFirst : perSecond)
  }

  #tick(): void {
    const second = Math.floor(this.#now() / 1000)
    if (second === this.#second) return
    this.#second = second
    this.#total = 0
    this.#byCaller.clear()
  }
}

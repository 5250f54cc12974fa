import { callerOf } from '../../limits/caller-address.ts'

export interface UnknownNamesLimits {
  perSecond: number
  perAddress: number
}

export const defaultUnknownNamesLimits: UnknownNamesLimits = { perSecond: 200, perAddress: 20 }

/**
 * Counts what was asked for and does not exist, a second at a time. Names can be made up without end, and each costs
 * a query: who asks for many is not looked up any more, and nobody is once there are too many.
 */
export class UnknownNames {
  readonly #limits: UnknownNamesLimits
  readonly #now: () => number
  readonly #byAddress = new Map<string, number>()
  #second = 0
  #total = 0

  constructor(limits: UnknownNamesLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  add(address: string | undefined): void {
    this.#tick()
    this.#total++
    if (address === undefined || this.#total > this.#limits.perSecond) return
    const caller = callerOf(address)
    this.#byAddress.set(caller, (this.#byAddress.get(caller) ?? 0) + 1)
  }

  isFlood(): boolean {
    this.#tick()
    return this.#total >= this.#limits.perSecond
  }

  isFloodFrom(address: string | undefined): boolean {
    if (address === undefined) return false
    this.#tick()
    return (this.#byAddress.get(callerOf(address)) ?? 0) >= this.#limits.perAddress
  }

  #tick(): void {
    const second = Math.floor(this.#now() / 1000)
    if (second === this.#second) return
    this.#second = second
    this.#total = 0
    this.#byAddress.clear()
  }
}

import { networkOf } from '../../limits/caller-address.ts'

export interface ResponseLimits {
  /** Replies per second to one network. */
  perNetwork: number
  /** Networks counted per second. Beyond that, all others are over the limit. */
  networks: number
}

/** A certificate authority asks a few questions for each name, from a few addresses. */
const defaultResponseLimits: ResponseLimits = { perNetwork: 200, networks: 20_000 }

/**
 * Limits replies over UDP, per second and network, because the address of a sender may be forged to flood its owner.
 * A sender over the limit is sent to TCP, which cannot be forged, so a real resolver loses nothing.
 */
export class ResponseRate {
  readonly #limits: ResponseLimits
  readonly #replies = new Map<string, number>()
  #second = 0

  constructor(limits: ResponseLimits = defaultResponseLimits) {
    this.#limits = limits
  }

  /** Counts the reply. */
  isOverLimit(address: string): boolean {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#replies.clear()
    }
    const network = networkOf(address)
    const replies = this.#replies.get(network)
    if (replies === undefined && this.#replies.size >= this.#limits.networks) return true
    this.#replies.set(network, (replies ?? 0) + 1)
    return (replies ?? 0) >= this.#limits.perNetwork
  }
}

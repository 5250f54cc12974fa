import type { ChallengeType } from './acme/authorization.ts'
import type { Order } from './acme/order.ts'
import { certificateRequest } from './certificate-request.ts'
import type { KeyPair } from './key-pair.ts'

export interface OrderBegun {
  order: Order
  /** What its certificate will be for. */
  keys: KeyPair
  sealedKey: string
  /** How its name may be proved, the best first. */
  ways: readonly ChallengeType[]
}

/** An order that is under way, with all that holds for it alone: nothing of it passes on to the next one. */
export class OrderUnderWay {
  order: Order
  readonly keys: KeyPair
  readonly sealedKey: string
  readonly ways: readonly ChallengeType[]
  /** URLs of the challenges that the CA was told about. */
  readonly answered = new Set<string>()
  #request: Promise<Uint8Array> | null = null

  constructor({ order, keys, sealedKey, ways }: OrderBegun) {
    this.order = order
    this.keys = keys
    this.sealedKey = sealedKey
    this.ways = ways
  }

  /** The certificate request for its key, made once. */
  request(name: string): Promise<Uint8Array> {
    this.#request ??= certificateRequest([name], this.keys)
    return this.#request
  }
}

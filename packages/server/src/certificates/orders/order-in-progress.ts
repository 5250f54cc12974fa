import type { AcmeClient } from '../acme/acme-client.ts'
import type { ChallengeType } from '../acme/authorization.ts'
import type { Order } from '../acme/order.ts'
import type { Authority } from '../authorities/authorities.ts'
import type { CaIdentities } from '../authorities/ca-identities.ts'
import type { CaaLookUp } from '../caa/caa.ts'
import type { IssuingContext } from '../context.ts'
import { createCsr } from '../x509/certificate-fields.ts'
import type { KeyPair } from '../x509/key-pair.ts'
import type { LostOrders } from './lost-orders.ts'

/** What an order is carried out with. */
export interface OrderContext extends IssuingContext {
  authority: Authority
  client: AcmeClient
  identities: CaIdentities
  caaLookUp: CaaLookUp
  lostOrders: LostOrders
  /** The common name of an issuer on the chain to serve; null: the chain of the CA's choice. */
  preferredIssuer: string | null
}

export interface PlacedOrder {
  order: Order
  /** What its certificate will be for. */
  keys: KeyPair
  sealedKey: string
  /** How its name may be proved, the best first. */
  ways: readonly ChallengeType[]
}

/** An order that is under way, with all that holds for it alone: nothing of it passes on to the next one. */
export class OrderInProgress {
  order: Order
  readonly keys: KeyPair
  readonly sealedKey: string
  readonly ways: readonly ChallengeType[]
  /** URLs of the challenges that the CA was told about. */
  readonly answered = new Set<string>()
  #request: Promise<Uint8Array> | null = null

  constructor({ order, keys, sealedKey, ways }: PlacedOrder) {
    this.order = order
    this.keys = keys
    this.sealedKey = sealedKey
    this.ways = ways
  }

  /** The certificate request for its key, made once. */
  request(name: string): Promise<Uint8Array> {
    this.#request ??= createCsr([name], this.keys)
    return this.#request
  }
}

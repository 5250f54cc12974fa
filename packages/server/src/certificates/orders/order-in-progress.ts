import type { AcmeClient } from '../acme/acme-client.ts'
import type { ChallengeType } from '../acme/authorization.ts'
import type { Order } from '../acme/order.ts'
import type { Authority } from '../authorities/authorities.ts'
import type { CaIdentities } from '../authorities/ca-identities.ts'
import type { CaaLookUp } from '../caa/caa.ts'
import type { IssuingContext } from '../context.ts'
import type { KeyPair } from '../x509/key-pair.ts'
import type { Delegations } from './delegations.ts'
import type { LostOrders } from './lost-orders.ts'

export interface OrderContext extends IssuingContext {
  authority: Authority
  client: AcmeClient
  identities: CaIdentities
  caaLookUp: CaaLookUp
  lostOrders: LostOrders
  /** Null without a nameserver of our own. */
  delegations: Delegations | null
  /** The common name of an issuer that the served chain should contain; null for the CA's default chain. */
  preferredIssuer: string | null
}

export interface PlacedOrder {
  order: Order
  /** The key pair of the certificate. */
  keys: KeyPair
  sealedKey: string
  /** The challenge types we may use, preferred first. */
  challengeTypes: readonly ChallengeType[]
  /** Where our DNS answers dns-01 challenges; null if they are not delegated to us. */
  label: string | null
  placedAt: number
}

/** Everything that belongs to one order; an order that replaces it starts fresh. */
export class OrderInProgress {
  order: Order
  readonly keys: KeyPair
  readonly sealedKey: string
  readonly challengeTypes: readonly ChallengeType[]
  readonly label: string | null
  readonly placedAt: number
  /** URLs of the challenges we asked the CA to validate. */
  readonly answered = new Set<string>()
  /** Whether this attempt sent the CSR. */
  isFinalized = false
  #csr: Promise<Uint8Array> | null = null

  constructor({ order, keys, sealedKey, challengeTypes, label, placedAt }: PlacedOrder) {
    this.order = order
    this.keys = keys
    this.sealedKey = sealedKey
    this.challengeTypes = challengeTypes
    this.label = label
    this.placedAt = placedAt
  }

  /** Created on first use, then kept. */
  csr(name: string): Promise<Uint8Array> {
    this.#csr ??= this.#createCsr(name)
    return this.#csr
  }

  async #createCsr(name: string): Promise<Uint8Array> {
    const { createCsr } = await import('../x509/certificate-fields.ts')
    return createCsr([name], this.keys)
  }
}

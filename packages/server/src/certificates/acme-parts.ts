import type { AcmeClient } from './acme/acme-client.ts'
import type { Authority } from './authorities.ts'
import type { CaIdentities } from './ca-identities.ts'
import type { CaaLookUp } from './caa.ts'
import type { IssuingContext } from './context.ts'
import type { LostOrders } from './lost-orders.ts'

/** What an order is carried out with. */
export interface AcmeParts extends IssuingContext {
  authority: Authority
  client: AcmeClient
  identities: CaIdentities
  caaLookUp: CaaLookUp
  lostOrders: LostOrders
  /** The common name of an issuer on the chain to serve; null: the chain of the CA's choice. */
  preferredIssuer: string | null
}

import type { AcmeClient } from './acme/acme-client.ts'
import type { Authority } from './authorities.ts'
import type { CaaLookUp } from './caa.ts'
import type { IssuingContext } from './context.ts'

/** What an order is carried out with. */
export interface AcmeParts extends IssuingContext {
  authority: Authority
  client: AcmeClient
  caaLookUp: CaaLookUp
}

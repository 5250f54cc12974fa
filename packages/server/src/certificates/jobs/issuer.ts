import type { Tx } from '../../database/database.ts'
import type { RenewalInfo } from '../acme/renewal-info.ts'
import type { IssuingContext } from '../context.ts'
import type { IssuedCertificate } from '../x509/issued-certificate.ts'
import type { Failure } from './failure.ts'
import type { ClaimedJob } from './job.ts'

export interface CertificateContext extends IssuingContext {
  /** In the order in which they are asked. */
  issuers: readonly [Issuer, ...Issuer[]]
}

/** The internal CA signs immediately; an ACME CA takes several steps that can be resumed. */
export interface Issuer {
  readonly kind: 'internal' | 'acme'
  /** `internal`, or the URL of the ACME directory. */
  readonly id: string
  /** The name shown to people. */
  readonly title: string
  /** Gets as far as it can. `stopping` makes it return between two steps. */
  attempt(job: ClaimedJob, progress: Progress, stopping: AbortSignal): Promise<Outcome>
  /** Records how the open order of a name ended. */
  closeOrder(tx: Tx, name: string, outcome: 'issued' | 'failed' | 'abandoned'): Promise<void>
  /** When the CA wants a certificate to be renewed; null if it does not say. */
  readRenewalInfo(id: string): Promise<RenewalInfo | null>
  /** Its identities in CAA records, as far as known. An issuer without any ignores CAA. */
  caIdentities(): readonly string[]
}

export interface Progress {
  ordered(): void
}

export type Outcome =
  | { kind: 'issued'; issued: IssuedCertificate; sealedKey: string }
  /** We wait for the CA so long that the job can be released. */
  | { kind: 'later'; at: number }
  /** `orderIsOver`: this order cannot be finished, even if the failure kind usually keeps it. */
  | { kind: 'failed'; failure: Failure; orderIsOver?: boolean }

import type { Context, Tx } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { RenewalInfo } from './acme/renewal-info.ts'
import type { Failure } from './jobs/failure.ts'
import type { ClaimedJob } from './jobs/job-store.ts'
import type { IssuedCertificate } from './x509/issued-certificate.ts'

/** What an issuer works with. */
export interface IssuingContext extends Context {
  changes: ChangeFeed
  sealing: Sealing
}

export interface CertificateContext extends IssuingContext {
  issuer: Issuer
}

/** Whoever signs certificates: the internal CA at once, an ACME CA over several steps that can be taken up again. */
export interface Issuer {
  readonly kind: 'internal' | 'acme'
  /** Told apart by it from other issuers: `internal`, or the URL of the ACME directory. */
  readonly id: string
  /** As people know it. */
  readonly title: string
  /** Goes as far as it gets. `stopping` asks it to end between two steps. */
  attempt(job: ClaimedJob, telling: Progress, stopping: AbortSignal): Promise<Outcome>
  /** What became of the order of a name that is open. */
  closeOrder(tx: Tx, name: string, outcome: 'issued' | 'failed' | 'abandoned'): Promise<void>
  /** When it would like a certificate to be renewed; null where it does not say. */
  readRenewalInfo(id: string): Promise<RenewalInfo | null>
  /** Its names in CAA records, as far as they are known by now; where there are none CAA does not matter to it. */
  caIdentities(): readonly string[]
}

export interface Progress {
  ordered(): void
}

export type Outcome =
  | { kind: 'issued'; issued: IssuedCertificate; sealedKey: string }
  /** It is the CA's turn for so long that the job can be put down. */
  | { kind: 'later'; at: number }
  /** `orderIsOver`: the order cannot be finished any more, whatever the failure says of others. */
  | { kind: 'failed'; failure: Failure; orderIsOver?: boolean }

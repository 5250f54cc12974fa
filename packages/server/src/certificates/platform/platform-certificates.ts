import type { ServableCertificate } from '../read.ts'

/** Where the certificates for names of the platform itself come from. Only names that exist are asked for. */
export interface PlatformCertificates {
  /** `accountId`: whose site the name shows; null: it is the platform's own. */
  find(name: string, accountId: string | null): Promise<ServableCertificate | null>
  close(): void
}

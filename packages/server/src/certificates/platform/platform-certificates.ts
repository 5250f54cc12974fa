import type { ServableCertificate } from '../read.ts'

/** Where the certificates for names of the platform itself come from. Only names that exist are asked for. */
export interface PlatformCertificates {
  find(name: string): Promise<ServableCertificate | null>
  close(): void
}

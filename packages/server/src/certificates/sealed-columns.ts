import type { SealedColumn } from '../secrets/sealing.ts'

/** Each purpose names the kind of row and which one. */
export const purposes = {
  /** The job that orders it uses the same purpose, so its sealed key can be copied as is. */
  certificate: (name: string) => `certificate of ${name}`,
  ownCertificate: (domainId: string) => `own certificate of ${domainId}`,
  account: (directory: string) => `account at ${directory}`,
  internalRoot: () => 'internal CA',
  ticketKey: (id: string) => `ticket key ${id}`,
} as const

/** Those of this feature. */
export const certificateColumns: readonly SealedColumn[] = [
  { table: 'certificates', column: 'sealed_key', key: 'name', purpose: purposes.certificate },
  { table: 'own_certificates', column: 'sealed_key', key: 'domain_id', purpose: purposes.ownCertificate },
  { table: 'certificate_jobs', column: 'sealed_key', key: 'name', purpose: purposes.certificate },
  { table: 'acme_accounts', column: 'sealed_key', key: 'directory', purpose: purposes.account },
  { table: 'internal_ca', column: 'sealed_key', key: 'id', purpose: purposes.internalRoot },
  { table: 'ticket_keys', column: 'sealed_key', key: 'id', purpose: purposes.ticketKey },
]

/** What a value is sealed for: the kind of row, and which one. */
export const purposes = {
  masterKeyCheck: () => 'master key check',
  /** Also of the order for it, so that the key moves over as it is. */
  certificate: (name: string) => `certificate of ${name}`,
  account: (directory: string) => `account at ${directory}`,
  internalRoot: () => 'internal CA',
  ticketKey: (id: string) => `ticket key ${id}`,
} as const

/**
 * Everything that is sealed, last the value that tells which key is in use. What is not listed here would be lost when
 * the master key changes.
 */
export const sealedValues = [
  { table: 'certificates', column: 'sealed_key', key: 'name', purpose: purposes.certificate },
  { table: 'certificate_jobs', column: 'sealed_key', key: 'name', purpose: purposes.certificate },
  { table: 'acme_accounts', column: 'sealed_key', key: 'directory', purpose: purposes.account },
  { table: 'internal_ca', column: 'sealed_key', key: 'id', purpose: purposes.internalRoot },
  { table: 'ticket_keys', column: 'sealed_key', key: 'id', purpose: purposes.ticketKey },
  { table: 'master_key_check', column: 'sealed', key: 'id', purpose: purposes.masterKeyCheck },
] as const

export type SealedColumn = (typeof sealedValues)[number]

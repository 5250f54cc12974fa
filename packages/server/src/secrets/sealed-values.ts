/** Each purpose names the kind of row and which one. */
export const purposes = {
  masterKeyCheck: () => 'master key check',
  /** The job that orders it uses the same purpose, so its sealed key can be copied as is. */
  certificate: (name: string) => `certificate of ${name}`,
  account: (directory: string) => `account at ${directory}`,
  internalRoot: () => 'internal CA',
  ticketKey: (id: string) => `ticket key ${id}`,
} as const

/**
 * Every sealed column, with the check value last. A column missing here becomes unreadable when the master key is
 * rotated.
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

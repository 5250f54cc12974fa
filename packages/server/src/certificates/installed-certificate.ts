import type { Reader } from '../database/database.ts'
import { findCertificateRow } from './store.ts'

/** The certificate of a name without its key, for whoever looks whether it is the one that is served. */
export interface InstalledCertificate {
  chain: string
  serial: string
  notAfter: number
}

export async function findInstalledCertificate(
  db: Reader,
  name: string,
): Promise<InstalledCertificate | null> {
  const row = await findCertificateRow(db, name)
  return row === undefined ? null : { chain: row.chain, serial: row.serial, notAfter: row.not_after }
}

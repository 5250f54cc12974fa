import type { Database } from '../database/database.ts'
import { findAccountRow } from './account-store.ts'

/** Our account at an issuer, as CAA records name it (`accounturi`); null until the issuer has registered us. */
export async function readAccountUrl(
  { database }: { database: Pick<Database, 'read'> },
  issuer: string,
): Promise<string | null> {
  return (await findAccountRow(database.read, issuer))?.url ?? null
}

import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import type { Reader } from '../../database/database.ts'
import { isServing } from '../domain.ts'
import { isProvedElsewhere } from '../proofs/coverage.ts'
import { findHeldRoute } from './store.ts'

/** The domain that a name is served by: its own, or the wildcard over it. */
export async function findServed(db: Reader, hostname: string) {
  const found = await findHeldRoute(db, hostname, wildcardOver(hostname))
  if (found === undefined || !isServing(found)) return null
  const isExact = found.hostname === hostname
  return !isExact && (await isProvedElsewhere(db, found.account_id, hostname)) ? null : found
}

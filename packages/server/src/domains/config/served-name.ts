import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import type { Reader } from '../../database/database.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { accountProving } from '../proofs/account-proving.ts'
import { isProvedElsewhere } from '../proofs/coverage.ts'
import { findHeldRoutes } from './store.ts'

/** The domain that a name is served by: its own, or the wildcard over it. */
export async function findServed(db: Reader, hostname: string) {
  const wildcard = wildcardOver(hostname)
  const found = await findHeldRoutes(db, wildcard === null ? [hostname] : [hostname, wildcard])
  const exact = found.find((row) => row.hostname === hostname)
  if (exact !== undefined && isServing(exact)) return exact
  const over = found.find((row) => row.hostname === wildcard)
  if (over === undefined || !isServing(over)) return null
  return (await covers(db, over, hostname, exact)) ? over : null
}

type Holder = Pick<DomainRow, 'account_id' | 'held' | 'state'>

/**
 * Whether a wildcard shows a name below it that has this holder. The holder's own wildcard leaves it alone. Another
 * account's needs the proof of the domain, and leaves it alone while it is served.
 */
export async function covers(
  db: Reader,
  { account_id }: Pick<DomainRow, 'account_id'>,
  hostname: string,
  holder: Holder | undefined,
): Promise<boolean> {
  if (holder === undefined) return !(await isProvedElsewhere(db, account_id, hostname))
  if (holder.account_id === account_id || isServing(holder)) return false
  return (await accountProving(db, hostname)) === account_id
}

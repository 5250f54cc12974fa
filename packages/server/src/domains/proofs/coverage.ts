import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Database, lock, type Reader, type Tx } from '../../database/database.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { describeHostname } from '../hostname.ts'
import type { Coverage } from '../records.ts'
import { findHolder } from '../store.ts'
import { provedZone } from './account-proving.ts'

/** Whether an account has proved the domain of a claim, and what that means for the claim. */
export async function findCoverage(
  db: Reader,
  { account_id, hostname, held }: Pick<DomainRow, 'account_id' | 'hostname' | 'held'>,
): Promise<Coverage | null> {
  const proved = await provedZone(db, hostname)
  if (proved === null) return null
  const { domain } = proved
  if (proved.account !== account_id) return { by: 'other', domain, holds: held === 1 }
  const holder = held === 1 ? undefined : await findHolder(db, hostname)
  return { by: 'own', domain, rivalTarget: holder !== undefined && isServing(holder) ? holder.target : null }
}

export function isSameCoverage(left: Coverage | null, right: Coverage | null): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

/** Whether another account than this one has proved the domain. */
export async function isProvedElsewhere(
  db: Reader,
  accountId: Id<'account'>,
  hostname: string,
): Promise<boolean> {
  const proved = await provedZone(db, hostname)
  return proved !== null && proved.account !== accountId
}

/**
 * Serializes proofs of a domain with transactions that give out names below it. Taken after the locks of names and
 * before rows are changed.
 */
export function lockProofs(database: Pick<Database, 'dialect'>, tx: Tx, name: string): Promise<void> {
  return lock(database, tx, `proofs:${describeHostname(name).registrable}`)
}

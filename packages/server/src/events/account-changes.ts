import type { Id } from '@masthead/contract/ids.ts'
import type { Tx } from '../database/database.ts'

const changedIn = new WeakMap<Tx, Set<Id<'account'>>>()

/**
 * Notes that a transaction changes something that people of the account may be looking at. However often it does,
 * the change feed tells it once, when the transaction commits.
 */
export function noteAccountChange(tx: Tx, accountId: Id<'account'>): void {
  const noted = changedIn.get(tx)
  if (noted === undefined) changedIn.set(tx, new Set([accountId]))
  else noted.add(accountId)
}

export function accountsChangedIn(tx: Tx): Iterable<Id<'account'>> {
  return changedIn.get(tx) ?? []
}

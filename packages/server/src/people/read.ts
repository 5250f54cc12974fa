import type { Id } from '@masthead/contract/ids.ts'
import type { Reader } from '../database/database.ts'
import { findMember, type MemberRow } from './store.ts'

/** Whether, and as what, a person belongs to an account. */
export function readMembership(
  db: Reader,
  accountId: Id<'account'>,
  personId: Id<'person'>,
): Promise<MemberRow | undefined> {
  return findMember(db, accountId, personId)
}

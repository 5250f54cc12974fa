import type { Reader } from '../database/database.ts'
import type { DomainRow } from './domain.ts'

/** More would not prove more, and each is asked for in DNS. */
const mostSiblings = 4

type SiblingRow = Pick<DomainRow, 'hostname' | 'target'>

/** Names of the account below an apex that are served or searched for, those first that are the likeliest proof. */
export function findSiblings(
  db: Reader,
  { account_id, hostname }: Pick<DomainRow, 'account_id' | 'hostname'>,
): Promise<SiblingRow[]> {
  return db
    .selectFrom('domains')
    .select(['hostname', 'target'])
    .where('account_id', '=', account_id)
    .where('registrable', '=', hostname)
    .where('kind', '=', 'subdomain')
    .where('state', 'in', ['pending', 'verified', 'live', 'drifted'])
    .orderBy('held', 'desc')
    .orderBy((e) => e.case().when('hostname', '=', `www.${hostname}`).then(0).else(1).end())
    .orderBy('hostname')
    .limit(mostSiblings)
    .execute()
}

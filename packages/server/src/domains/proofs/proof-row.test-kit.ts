import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Database } from '../../database/database.ts'
import { insertProof } from './store.ts'

/** As if the account had proved the domain long ago, or not yet with `stands` 0. */
export function proveDomain(
  database: Database,
  account_id: Id<'account'>,
  domain: string,
  stands = 1,
): Promise<void> {
  return database.write((tx) =>
    insertProof(tx, {
      ...{ account_id, domain, state: stands === 1 ? 'proved' : 'pending', stands, token: 'token' },
      ...{ created_at: 1, proved_at: 1, seen_at: 1, state_since: 1, next_check_at: null },
      ...{ lease_until: 0, last_check: null },
    }),
  )
}

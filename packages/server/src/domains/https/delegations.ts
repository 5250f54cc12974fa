import type { Delegations } from '../../certificates/orders/delegations.ts'
import type { Context } from '../../database/database.ts'
import type { Dns } from '../../dns/dns.ts'
import { observeDelegation } from '../dns-check/observe-delegation.ts'
import { delegationRecord } from '../records.ts'
import { findHolder } from '../store.ts'

/** Finds out whether the holder of a name has delegated its challenges to the label of its own domain. */
export function createDelegations(
  { database, dns }: Pick<Context, 'database'> & { dns: Dns },
  naming: { platformDomain: string },
): Delegations {
  return {
    async find(name) {
      const holder = await findHolder(database.read, name)
      if (holder === undefined) return null
      const record = delegationRecord(holder, naming)
      const seen = await observeDelegation(dns, record)
      return {
        label: seen === 'delegated' ? holder.target : null,
        isOnlyWay: holder.state === 'prepared',
        record,
      }
    },
  }
}

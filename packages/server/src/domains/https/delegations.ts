import type { Delegation, Delegations } from '../../certificates/orders/delegations.ts'
import {
  platformDelegation,
  platformLabel,
  platformWildcard,
} from '../../certificates/platform/platform-wildcard.ts'
import type { Context } from '../../database/database.ts'
import type { Dns } from '../../dns/dns.ts'
import { isWildcard, withoutWildcard } from '../../dns/domain-name.ts'
import type { Naming } from '../context.ts'
import { type ObservedDelegation, observeDelegation } from '../dns-check/observe-delegation.ts'
import type { DomainRow } from '../domain.ts'
import { delegationRecord } from '../records.ts'
import { findDomainOfAccount, findHolder } from '../store.ts'

type Observing = Pick<Context, 'database'> & { dns: Pick<Dns, 'askNameservers'> }

/** Finds out whether the holder of a name has delegated its challenges to us. */
export function createDelegations(
  context: Observing,
  naming: Pick<Naming, 'platformDomain' | 'challengeDns'>,
): Delegations {
  return {
    async find(name) {
      if (name === platformWildcard(naming)) {
        const record = platformDelegation(naming)
        const seen = await observeDelegation(context.dns, record)
        return { label: seen.outcome === 'delegated' ? platformLabel : null, isOnlyWay: true, record }
      }
      const holder = await findHolder(context.database.read, name)
      return holder === undefined ? null : delegationOf(context, holder, naming)
    },
  }
}

/** How the challenges of a domain are delegated now. */
export async function delegationOf(
  context: Observing,
  row: DomainRow,
  naming: Pick<Naming, 'platformDomain' | 'challengeDns'>,
  signal?: AbortSignal,
): Promise<Delegation> {
  const { challengeDns } = naming
  // Without a nameserver of ours nobody would answer there.
  const { label } = challengeDns ? await findDelegation(context, row, naming, signal) : { label: null }
  return {
    label,
    isOnlyWay: (challengeDns && row.state === 'prepared') || isWildcard(row.hostname),
    isProxied: row.proxy !== null,
    record: challengeDns ? delegationRecord(row, naming) : null,
  }
}

/**
 * The label that the challenges of a domain are delegated to: its own, or that of the account's other domain with the
 * same challenges. `acme.com` and `*.acme.com` share `_acme-challenge.acme.com`, and a name has only one CNAME.
 */
export async function findDelegation(
  { database, dns }: Observing,
  row: Pick<DomainRow, 'account_id' | 'hostname' | 'target'>,
  naming: { platformDomain: string },
  signal?: AbortSignal,
): Promise<ObservedDelegation & { label: string | null }> {
  const observed = await observeDelegation(dns, delegationRecord(row, naming), signal)
  if (observed.outcome === 'delegated') return { ...observed, label: row.target }
  const twin = await findDomainOfAccount(database.read, row.account_id, twinOf(row.hostname))
  if (observed.outcome === 'unclear' || twin === undefined) return { ...observed, label: null }
  const other = await observeDelegation(dns, delegationRecord(twin, naming), signal)
  return { ...other, label: other.outcome === 'delegated' ? twin.target : null }
}

function twinOf(hostname: string): string {
  return isWildcard(hostname) ? withoutWildcard(hostname) : `*.${hostname}`
}

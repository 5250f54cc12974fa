import type { Delegation, Delegations } from '../../certificates/orders/delegations.ts'
import {
  platformDelegation,
  platformLabel,
  platformWildcard,
} from '../../certificates/platform/platform-wildcard.ts'
import type { Context } from '../../database/database.ts'
import type { Dns } from '../../dns/dns.ts'
import { isWildcard, withoutWildcard } from '../../dns/domain-name.ts'
import { second } from '../../kernel/clock.ts'
import { TimeoutError, withTimeout } from '../../kernel/with-timeout.ts'
import type { Naming } from '../context.ts'
import { type ObservedDelegation, observeDelegation } from '../dns-check/observe-delegation.ts'
import type { DomainRow } from '../domain.ts'
import { delegationRecord } from '../records.ts'
import { findDomainOfAccount, findHolder } from '../store.ts'

type Observing = Pick<Context, 'database'> & { dns: Pick<Dns, 'askNameservers'> }

/** As for the rest of a check. */
const deadline = 12 * second

/** Finds out whether the holder of a name has delegated its challenges to us. */
export function createDelegations(
  context: Observing,
  naming: Pick<Naming, 'platformDomain' | 'challengeDns'>,
): Delegations {
  return {
    async find(name) {
      if (name === platformWildcard(naming)) {
        const record = platformDelegation(naming)
        const { fqdn, value } = record
        const seen = await observeDelegation(context.dns, { fqdn, values: [value] })
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
  stopping?: AbortSignal,
): Promise<ObservedDelegation & { label: string | null }> {
  const twin = await findDomainOfAccount(database.read, row.account_id, twinOf(row.hostname))
  const labels = [row.target, ...(twin === undefined ? [] : [twin.target])]
  const values = labels.map((target) => delegationRecord({ ...row, target }, naming).value)
  const { fqdn } = delegationRecord(row, naming)
  const over = new AbortController()
  const signal = stopping === undefined ? over.signal : AbortSignal.any([over.signal, stopping])
  try {
    const { value, ...seen } = await withTimeout(observeDelegation(dns, { fqdn, values }, signal), deadline)
    return { ...seen, label: labels.find((_, index) => values[index] === value) ?? null }
  } catch (error) {
    if (error instanceof TimeoutError) return { outcome: 'unclear', seen: [], label: null }
    throw error
  } finally {
    over.abort()
  }
}

function twinOf(hostname: string): string {
  return isWildcard(hostname) ? withoutWildcard(hostname) : `*.${hostname}`
}

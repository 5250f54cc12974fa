import { domainStates } from '@masthead/contract/domains/states.ts'
import type { Tx } from '../../database/database.ts'
import { isWithin } from '../../dns/domain-name.ts'
import type { DomainContext } from '../context.ts'
import { describeHostname } from '../hostname.ts'
import { heldWildcards, updateDomain } from '../store.ts'

/**
 * Tells every edge that a proof of a domain began or ended. A wildcard covers only names that no other account has
 * proved, so this concerns the domain as a name below a wildcard, and the wildcards below the domain. Call it last in a
 * transaction.
 */
export async function recordOwnerChange(
  { changes, now }: Pick<DomainContext, 'changes' | 'now'>,
  tx: Tx,
  domain: string,
): Promise<void> {
  const { registrable } = describeHostname(domain)
  const wildcards = (await heldWildcards(tx, registrable)).filter(({ hostname }) =>
    isWithin(hostname, domain),
  )
  for (const { id, state } of wildcards) {
    if (domainStates[state].checked !== 'no') await updateDomain(tx, id, { next_check_at: now() })
  }
  for (const subject of [domain, ...wildcards.map(({ hostname }) => hostname)]) {
    await changes.record(tx, { kind: 'domain_stopped', subject })
  }
}

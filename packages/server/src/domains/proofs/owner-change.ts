import { domainStates } from '@masthead/contract/domains/states.ts'
import type { Tx } from '../../database/database.ts'
import { isWithin } from '../../dns/domain-name.ts'
import type { DomainContext } from '../context.ts'
import { describeHostname } from '../hostname.ts'
import { heldWildcards, updateDomain } from '../store.ts'

/**
 * Tells every edge that proofs of domains began or ended. A wildcard covers only names that no other account has
 * proved, so this concerns each domain as a name below a wildcard, and the wildcards below it. Call it last in a
 * transaction, and once: to change a domain afterwards means to wait for others with the change feed locked.
 */
export async function recordOwnerChanges(
  { changes, now }: Pick<DomainContext, 'changes' | 'now'>,
  tx: Tx,
  domains: readonly string[],
): Promise<void> {
  const subjects: string[] = []
  for (const domain of domains) {
    const { registrable } = describeHostname(domain)
    const wildcards = (await heldWildcards(tx, registrable)).filter(({ hostname }) =>
      isWithin(hostname, domain),
    )
    for (const { id, state } of wildcards) {
      if (domainStates[state].checked !== 'no') await updateDomain(tx, id, { next_check_at: now() })
    }
    subjects.push(domain, ...wildcards.map(({ hostname }) => hostname))
  }
  for (const subject of subjects) await changes.record(tx, { kind: 'domain_stopped', subject })
}

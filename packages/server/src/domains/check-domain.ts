import type { EventActor } from '../events/record-event.ts'
import { type Applied, applyCheck } from './apply-check.ts'
import { needsChallenge } from './claims.ts'
import type { DomainContext } from './context.ts'
import { checkDns } from './dns-check/check-dns.ts'
import type { DomainRow } from './domain.ts'
import type { Lease } from './lease-store.ts'

/** Looks at the DNS of a domain and applies what it finds. */
export async function checkDomain(
  context: DomainContext,
  row: DomainRow,
  { by, lease = null }: { by: EventActor; lease?: Lease | null },
): Promise<Applied> {
  const challenged = await needsChallenge(context.database.read, row)
  const { hostname, target } = row
  const result = await checkDns(context, { hostname, target, challenge: challenged ? row.challenge : null })
  return applyCheck(context, { domain: row, result, challenged, by, lease })
}

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
  { by, lease = null, signal }: { by: EventActor; lease?: Lease | null; signal?: AbortSignal | undefined },
): Promise<Applied> {
  const challenged = await needsChallenge(context.database.read, row)
  const { hostname, kind, target } = row
  const name = { hostname, kind, target, challenge: challenged ? row.challenge : null }
  const result = await checkDns(context, name, signal)
  return applyCheck(context, { domain: row, result, challenged, by, lease })
}

import type { EventActor } from '../events/record-event.ts'
import { type Applied, applyCheck } from './apply-check.ts'
import type { DomainContext } from './context.ts'
import { checkDns } from './dns-check/check-dns.ts'
import type { DomainRow } from './domain.ts'
import type { Lease } from './lease-store.ts'
import { proofWanted } from './proof-wanted.ts'

/** Looks at the DNS of a domain and applies what it finds. */
export async function checkDomain(
  context: DomainContext,
  row: DomainRow,
  { by, lease = null, signal }: { by: EventActor; lease?: Lease | null; signal?: AbortSignal | undefined },
): Promise<Applied> {
  const { database, naming, now } = context
  const proof = await proofWanted(database.read, row, { naming, now: now() })
  const { hostname, kind, target } = row
  const result = await checkDns(context, { hostname, kind, target, proof }, signal)
  return applyCheck(context, { domain: row, result, proof, by, lease })
}

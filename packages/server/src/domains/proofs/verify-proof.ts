import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import type { Dns } from '../../dns/dns.ts'
import type { EventActor } from '../../events/record-event.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import type { DomainContext } from '../context.ts'
import { checkProof } from './check-proof.ts'
import { lockProofs } from './coverage.ts'
import { noSuchProof, type ProofInput, restart, toProof } from './proof.ts'
import { readProof } from './read-proof.ts'
import { findProof, type ProofRow, updateProof } from './store.ts'

/** Checks DNS now. Concurrent requests for the same proof share one check. */
export async function verifyProof(
  context: DomainContext,
  { accountId, by, domain: typed }: ProofInput,
): Promise<Proof> {
  const { database, now } = context
  const { domain } = await readProof(context, accountId, typed)
  const row = await database.write(async (tx) => {
    await lockProofs(database, tx, domain)
    const before = await findProof(tx, accountId, domain)
    if (before === undefined) throw noSuchProof(domain)
    return (await updateProof(tx, before, restart(before, now()))) ?? before
  })
  const checks = checksOf(context)
  const after = await checks(`${accountId} ${row.domain} ${row.token}`, row, by)
  if (after === undefined) throw noSuchProof(row.domain)
  return toProof(after)
}

type SharedChecks = (key: string, row: ProofRow, by: EventActor) => Promise<ProofRow | undefined>
const checksByDns = new WeakMap<Dns, SharedChecks>()

function checksOf(context: DomainContext): SharedChecks {
  const known = checksByDns.get(context.dns)
  if (known !== undefined) return known
  const checks = singleFlight((_key: string, row: ProofRow, by: EventActor) =>
    checkProof(context, row, { by }),
  )
  checksByDns.set(context.dns, checks)
  return checks
}

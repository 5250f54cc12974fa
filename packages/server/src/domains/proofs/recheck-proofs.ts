import { system } from '../../events/record-event.ts'
import { minute } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import { accountsWithDue } from '../due-store.ts'
import { runDueWork } from '../due-work.ts'
import { checkProof } from './check-proof.ts'
import { leaseNextProof, type ProofRow } from './store.ts'

/** Longer than a check takes. After a crash, the proof is checked again when its lease expires. */
const leaseDuration = minute

/** Checks the proofs that are due: often while pending, daily once proved. */
export async function recheckProofs(
  context: DomainContext,
  { log, signal }: { log: { error(details: object, message: string): void }; signal?: AbortSignal },
): Promise<void> {
  const { database, now } = context

  async function recheck(row: ProofRow): Promise<void> {
    try {
      await checkProof(context, row, { by: system, signal })
    } catch (err) {
      if (signal?.aborted === true) return
      log.error({ err, domain: row.domain }, 'a proof of a domain could not be checked and will be retried')
    }
  }

  await runDueWork({
    now,
    accounts: (span) => accountsWithDue(database, 'domain_proofs', span),
    lease: (account, at) => leaseNextProof(database, { account, now: at, until: at + leaseDuration }),
    run: recheck,
    stopping: signal,
  })
}

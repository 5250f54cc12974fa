import { system } from '../../events/record-event.ts'
import { minute } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import { checkProof } from './check-proof.ts'
import { hurryDomains } from './manage-proofs.ts'
import { isAnyProofDue, leaseDueProofs } from './store.ts'

const atOnce = 16
/** Longer than a check takes. After a crash, the proof is checked again when its lease expires. */
const leaseDuration = minute

/** Checks the proofs that are due: often while pending, daily once proved. True if there may be more. */
export async function recheckProofs(
  context: DomainContext,
  { log, signal }: { log: { error(details: object, message: string): void }; signal?: AbortSignal },
): Promise<boolean> {
  const { database, now } = context
  const at = now()
  if (!(await isAnyProofDue(database, at))) return false
  const rows = await database.write((tx) =>
    leaseDueProofs(tx, { now: at, until: at + leaseDuration, most: atOnce }),
  )
  await Promise.all(
    rows.map(async (row) => {
      try {
        const after = await checkProof(context, row, { by: system, signal })
        if (after?.stands === 1 && row.stands === 0) await hurryDomains(context, after)
      } catch (err) {
        if (signal?.aborted === true) return
        log.error({ err, domain: row.domain }, 'a proof of a domain could not be checked and will be retried')
      }
    }),
  )
  return rows.length === atOnce
}

import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../../database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import type { DomainContext } from '../context.ts'
import { lockProofs } from './coverage.ts'
import { recordOwnerChanges } from './owner-change.ts'
import { noSuchProof, type ProofInput } from './proof.ts'
import { readProof } from './read-proof.ts'
import { deleteProof, deleteProofsOf, findProof, proofsOfAccount } from './store.ts'

export async function removeProof(
  context: DomainContext,
  { accountId, by, domain: typed }: ProofInput,
): Promise<void> {
  const { database, now } = context
  const { domain } = await readProof(context, accountId, typed)
  await database.write(async (tx) => {
    await lockProofs(database, tx, domain)
    const row = await findProof(tx, accountId, domain)
    if (row === undefined) throw noSuchProof(domain)
    await deleteProof(tx, row)
    await recordEvent(tx, { accountId, type: 'proof.removed', by, at: now(), data: { domain } })
    if (row.stands === 1) await recordOwnerChanges(context, tx, [domain])
  })
}

/** For an account that is deleted. */
export async function removeAllProofs(
  context: Pick<DomainContext, 'changes' | 'now'>,
  tx: Tx,
  accountId: Id<'account'>,
): Promise<void> {
  const proved = (await proofsOfAccount(tx, accountId)).filter(({ stands }) => stands === 1)
  await deleteProofsOf(tx, accountId)
  const domains = proved.map(({ domain }) => domain)
  await recordOwnerChanges(context, tx, domains)
}

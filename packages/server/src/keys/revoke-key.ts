import type { Id } from '@masthead/contract/ids.ts'
import type { Context } from '../database/context.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import { deleteKey, deleteKeys } from './store.ts'

export async function revokeKey(
  { database, now }: Context,
  input: { accountId: Id<'account'>; keyId: Id<'key'>; by: EventActor },
): Promise<void> {
  await database.write(async (tx) => {
    const { accountId, keyId, by } = input
    const row = await deleteKey(tx, accountId, keyId)
    if (row === undefined) throw new Problem('not_found', `There is no key ${keyId}.`)
    await recordEvent(tx, { accountId, type: 'key.revoked', by, at: now(), data: { keyId, name: row.name } })
  })
}

/** A part of something larger. */
export async function revokeAllKeys(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await deleteKeys(tx, accountId)
}

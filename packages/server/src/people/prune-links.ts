import type { Context } from '../database/database.ts'
import { day } from '../kernel/clock.ts'
import { deleteExpiredInvitations, deleteExpiredResets } from './link-store.ts'

const keptFor = 7 * day
const removedAtOnce = 1_000

/** Deletes invitations, with the email addresses they have, and password resets that expired. True if there may be more. */
export async function pruneLinks({ database, now }: Context): Promise<boolean> {
  const before = now() - keptFor
  return database.write(async (tx) => {
    await deleteExpiredResets(tx, before)
    return (await deleteExpiredInvitations(tx, before, removedAtOnce)) === removedAtOnce
  })
}

import { day } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { deleteUnprovedTombstones } from './tombstone-store.ts'

const keptFor = 90 * day
const removedAtOnce = 1_000

/**
 * Removes the tombstones of names that their account never proved, which would otherwise pile up. Those of proved
 * names protect them for good.
 */
export async function forgetTombstones({ database, now }: Context): Promise<boolean> {
  const removed = await database.write((tx) => deleteUnprovedTombstones(tx, now() - keptFor, removedAtOnce))
  return removed === removedAtOnce
}

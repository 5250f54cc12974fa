import type { Context } from '../database/database.ts'
import { day } from '../kernel/clock.ts'
import { deleteEventsBefore } from './store.ts'

/** More than a year, to compare with the same season. */
const keptFor = 400 * day
/** On SQLite, everything else waits for a batch, and an event has four indexes. */
const removedAtOnce = 200

/** Deletes old events. Returns whether there may be more. */
export async function pruneEvents({ database, now }: Context): Promise<boolean> {
  const removed = await database.writeUnsynced((tx) => deleteEventsBefore(tx, now() - keptFor, removedAtOnce))
  return removed === removedAtOnce
}

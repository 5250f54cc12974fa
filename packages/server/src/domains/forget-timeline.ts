import { day } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { deleteTimelineBefore } from './timeline-store.ts'

const keptFor = 90 * day
const removedAtOnce = 1_000

/** Removes what happened to domains long ago. Tells whether there may be more of it. */
export async function forgetTimeline({ database, now }: Context): Promise<boolean> {
  const removed = await database.write((tx) => deleteTimelineBefore(tx, now() - keptFor, removedAtOnce))
  return removed === removedAtOnce
}

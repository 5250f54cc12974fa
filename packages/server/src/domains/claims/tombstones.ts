import type { Context, Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { day } from '../../kernel/clock.ts'
import type { DomainRow } from '../domain.ts'
import { deleteDomain } from '../store.ts'
import { closeTimeline } from '../timeline/timeline.ts'
import { deleteUnprovedTombstones, keepNewestUnproved, putTombstone } from './store.ts'

/** Plans limit domains but not tombstones, so an account keeps only this many for names it never proved. */
const maxUnproved = 100

/** Removes a domain and leaves a tombstone: its DNS may keep pointing here, and must not help anyone else. */
export async function replaceWithTombstone(
  tx: Tx,
  row: DomainRow,
  by: EventActor,
  at: number,
): Promise<void> {
  const { account_id, project_id, hostname, target } = row
  const held_at = row.held === 1 ? (row.verified_at ?? at) : null
  await putTombstone(tx, { hostname, account_id, target, held_at, removed_at: at })
  if (held_at === null) await keepNewestUnproved(tx, account_id, maxUnproved)
  await deleteDomain(tx, row.id)
  await closeTimeline(tx, { domain: row, by, at })
  const event = { accountId: account_id, projectId: project_id, by, at }
  await recordEvent(tx, { ...event, type: 'domain.removed', data: { hostname } })
}

const keptFor = 90 * day
const removedAtOnce = 1_000

/** Deletes old tombstones of names that were never proved. Those of proved names are kept forever. */
export async function pruneTombstones({ database, now }: Context): Promise<boolean> {
  const removed = await database.write((tx) => deleteUnprovedTombstones(tx, now() - keptFor, removedAtOnce))
  return removed === removedAtOnce
}

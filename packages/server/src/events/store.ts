import type { EventKind } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { idAtTime } from '../kernel/ids.ts'

export type EventRow = Selectable<Schema['events']>

export async function insertEvent(tx: Tx, row: Insertable<Schema['events']>): Promise<void> {
  await tx.insertInto('events').values(row).execute()
}

/** For the webhooks of the account, if it has any that are enabled. */
export async function insertIntoOutbox(
  tx: Tx,
  accountId: Id<'account'>,
  eventId: Id<'event'>,
): Promise<void> {
  await tx
    .insertInto('webhook_outbox')
    .columns(['account_id', 'event_id'])
    .expression((from) =>
      from
        .selectFrom('webhooks')
        .where('account_id', '=', accountId)
        .where('disabled_at', 'is', null)
        .select(['account_id', from.val(eventId).as('event_id')])
        .limit(1),
    )
    .execute()
}

/** Those who own the longest, if there are many. */
const mostOwners = 20

/** For the owners of the account, who get an email about the event. */
export async function insertNotices(
  tx: Tx,
  { accountId, eventId, at }: { accountId: Id<'account'>; eventId: Id<'event'>; at: number },
): Promise<void> {
  const owners = await tx
    .selectFrom('members')
    .select('person_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .orderBy('joined_at')
    .orderBy('person_id')
    .limit(mostOwners)
    .execute()
  if (owners.length === 0) return
  // In one order, so that two events of accounts with the same owners do not wait for each other.
  const people = owners.map(({ person_id }) => person_id).sort()
  await tx
    .insertInto('notices')
    .values(
      people.map((person_id) => ({ person_id, event_id: eventId, account_id: accountId, created_at: at })),
    )
    .execute()
  await tx
    .insertInto('notice_queues')
    .values(people.map((person_id) => ({ person_id, due_at: at, lease_owner: null, lease_until: 0 })))
    // Waits for a worker that is about to delete the row. Ignoring the conflict would not.
    .onConflict((conflict) =>
      conflict.column('person_id').doUpdateSet((row) => ({ due_at: row.ref('notice_queues.due_at') })),
    )
    .execute()
}

interface EventsOf {
  accountId: Id<'account'>
  kind: EventKind | undefined
  projectId: Id<'project'> | undefined
}

/** Newest first. */
export function eventsBefore(
  db: Reader,
  { accountId, kind, projectId }: EventsOf,
  before: string | undefined,
  limit: number,
): Promise<EventRow[]> {
  return (
    db
      .selectFrom('events')
      .selectAll()
      .where('account_id', '=', accountId)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind as EventKind))
      .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId as Id<'project'>))
      // Says what the index `events_of_project_by_kind` leaves out, in the same words: or it would not be used.
      .$if(kind !== undefined && kind !== 'deployment', (query) =>
        query.where(sql<boolean>`kind <> 'deployment'`),
      )
      .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'event'>))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  )
}

/** Deletes up to `most` events older than a time, and returns how many. Their ids sort by time. */
export async function deleteEventsBefore(tx: Tx, before: number, most: number): Promise<number> {
  const old = tx
    .selectFrom('events')
    .select('id')
    .where('id', '<', idAtTime('event', before))
    .orderBy('id')
    .limit(most)
  const { numDeletedRows } = await tx.deleteFrom('events').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Database, Reader } from '../database/database.ts'

export interface ClaimedPerson {
  personId: Id<'person'>
  /** Different for every claim, so that a claim that was lost changes nothing. */
  owner: string
}

/** Reserves the mail of one person; null if nothing is due. */
export async function claimPerson(
  database: Database,
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<ClaimedPerson | null> {
  const due = await database.read
    .selectFrom('notice_queues')
    .select('person_id')
    .where('due_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  if (due === undefined) return null
  const leased = await database.write((tx) =>
    tx
      .updateTable('notice_queues')
      .set({ lease_owner: owner, lease_until: until })
      .where('person_id', '=', due.person_id)
      .where('due_at', '<=', now)
      .where('lease_until', '<=', now)
      .returning('person_id')
      .executeTakeFirst(),
  )
  return leased === undefined ? null : { personId: leased.person_id, owner }
}

export type NoticeRow = Awaited<ReturnType<typeof noticesFor>>[number]

/** With the address of the person, as far as they still own the accounts. Oldest first. */
export function noticesFor(db: Reader, personId: Id<'person'>, limit: number) {
  return db
    .selectFrom('notices')
    .innerJoin('events', 'events.id', 'notices.event_id')
    .innerJoin('people', 'people.id', 'notices.person_id')
    .innerJoin('accounts', 'accounts.id', 'notices.account_id')
    .innerJoin('members', (join) =>
      join
        .onRef('members.person_id', '=', 'notices.person_id')
        .onRef('members.account_id', '=', 'notices.account_id'),
    )
    .leftJoin('projects', 'projects.id', 'events.project_id')
    .select([
      ...(['events.id', 'events.type', 'events.data', 'notices.account_id', 'projects.slug'] as const),
      'people.email',
    ])
    .where('notices.person_id', '=', personId)
    .where('members.role', '=', 'owner')
    .where('accounts.deleted_at', 'is', null)
    .orderBy('notices.event_id')
    .limit(limit)
    .execute()
}

/**
 * Ends a claim: `done` are the notices that need no mail any more, and the person gets none before `dueAt`. Changes
 * nothing if the claim was lost: then somebody else sends them again.
 */
export async function endClaim(
  database: Database,
  { personId, owner }: ClaimedPerson,
  { dueAt, done }: { dueAt: number; done: readonly Id<'event'>[] },
): Promise<void> {
  await database.write(async (tx) => {
    const mine = await tx
      .updateTable('notice_queues')
      .set({ due_at: dueAt, lease_owner: null, lease_until: 0 })
      .where('person_id', '=', personId)
      .where('lease_owner', '=', owner)
      .returning('person_id')
      .executeTakeFirst()
    if (mine === undefined || done.length === 0) return
    await tx.deleteFrom('notices').where('person_id', '=', personId).where('event_id', 'in', done).execute()
  })
}

/** Ends a claim of somebody who has no notices, or no longer owns what they are about. */
export async function endEmptyClaim(
  database: Database,
  { personId, owner }: ClaimedPerson,
  now: number,
): Promise<void> {
  await database.write(async (tx) => {
    // Locks the row first: another process that records an event now waits, and adds it again if it is gone.
    const mine = await tx
      .updateTable('notice_queues')
      .set({ due_at: now, lease_owner: null, lease_until: 0 })
      .where('person_id', '=', personId)
      .where('lease_owner', '=', owner)
      .returning('person_id')
      .executeTakeFirst()
    if (mine === undefined) return
    await tx
      .deleteFrom('notices')
      .where('person_id', '=', personId)
      .where('account_id', 'not in', (from) =>
        from
          .selectFrom('members')
          .innerJoin('accounts', 'accounts.id', 'members.account_id')
          .select('members.account_id')
          .where('members.person_id', '=', personId)
          .where('members.role', '=', 'owner')
          .where('accounts.deleted_at', 'is', null),
      )
      .execute()
    const left = await tx
      .selectFrom('notices')
      .select('event_id')
      .where('person_id', '=', personId)
      .limit(1)
      .executeTakeFirst()
    if (left === undefined) await tx.deleteFrom('notice_queues').where('person_id', '=', personId).execute()
  })
}

export async function deleteNoticesBefore(database: Database, at: number): Promise<void> {
  const old = await database.read
    .selectFrom('notices')
    .select('event_id')
    .where('created_at', '<', at)
    .limit(1)
    .execute()
  if (old.length === 0) return
  await database.write((tx) => tx.deleteFrom('notices').where('created_at', '<', at).execute())
}

/** Call only if no other process uses this database. */
export async function endAllLeases(database: Database): Promise<void> {
  await database.write((tx) =>
    tx
      .updateTable('notice_queues')
      .set({ lease_owner: null, lease_until: 0 })
      .where('lease_owner', 'is not', null)
      .execute(),
  )
}

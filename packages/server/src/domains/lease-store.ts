import type { Database, Tx } from '../database/database.ts'
import { minute, second } from '../kernel/clock.ts'
import type { DomainRow } from './domain.ts'

/** Who takes a step of a domain, and until when nobody else does. A lease is told from a later one by its end. */
export interface Lease {
  owner: string
  until: number
}

export interface Leased {
  row: DomainRow
  lease: Lease
}

/**
 * Three times as long as the steps of a turn can take: about 12 seconds for DNS, 20 to follow a name to an address and
 * 5 for our own request. After a crash the next turn begins when it has run out.
 */
export const leaseDuration = 2 * minute
const shortestPause = 5 * second
const longestPause = 10 * minute

export const noLease = { lease_owner: null, lease_until: 0 } as const

/** Takes up to `most` domains, longest due first. What another worker takes at the same moment is passed over. */
export async function leaseDue(
  database: Database,
  owner: string,
  now: number,
  most: number,
): Promise<Leased[]> {
  // A cheap look first, so that idle workers do not queue for the one writer of SQLite.
  if ((await dueAt(database.read, now).limit(1).executeTakeFirst()) === undefined) return []
  const lease = { owner, until: now + leaseDuration }
  return database.write(async (tx) => {
    const due = dueAt(tx, now).limit(most)
    const free = await (database.dialect === 'postgres' ? due.forUpdate().skipLocked() : due).execute()
    if (free.length === 0) return []
    const rows = await tx
      .updateTable('domains')
      .set({ lease_owner: lease.owner, lease_until: lease.until })
      .where(
        'id',
        'in',
        free.map(({ id }) => id),
      )
      .returningAll()
      .execute()
    return rows.map((row) => ({ row, lease }))
  })
}

export function isLeasedBy(row: DomainRow, { owner, until }: Lease): boolean {
  return row.lease_owner === owner && row.lease_until === until
}

/** Gives the domain back after a step that failed, to be taken again after as long as it is overdue by now. */
export async function releaseWithBackoff(
  database: Database,
  { row, lease }: Leased,
  now: number,
): Promise<void> {
  const overdue = now - (row.next_check_at ?? now)
  const pause = Math.min(Math.max(overdue, shortestPause), longestPause)
  const pausing = { lease_owner: null, lease_until: now + pause }
  await database.write((tx) => leasedRow(tx, row, lease).set(pausing).execute())
}

/** Nothing is to be done for it until somebody does something. */
export async function stopChecking(database: Database, { row, lease }: Leased): Promise<void> {
  await database.write((tx) =>
    leasedRow(tx, row, lease)
      .set({ ...noLease, next_check_at: null })
      .execute(),
  )
}

/** Only while it is still ours. */
function leasedRow(tx: Tx, { id }: DomainRow, { owner, until }: Lease) {
  return tx
    .updateTable('domains')
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('lease_until', '=', until)
}

/** An index holds what is ever due in the order of time, so this costs the same however many domains are not. */
function dueAt(db: Database['read'] | Tx, now: number) {
  return db
    .selectFrom('domains')
    .select('id')
    .where('next_check_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('next_check_at')
}

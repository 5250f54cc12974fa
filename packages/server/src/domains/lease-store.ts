import type { Id } from '@masthead/contract/schemas/fields.ts'
import { compileOnce } from '../database/compile-once.ts'
import type { Database, Tx } from '../database/database.ts'
import { minute, second } from '../kernel/clock.ts'
import type { DomainRow } from './domain.ts'

/** Reserves a domain for one worker until a time. The end also distinguishes it from later leases. */
export interface Lease {
  owner: string
  until: number
}

export interface Leased {
  row: DomainRow
  lease: Lease
}

/**
 * Three times as long as all steps can take: about 12 seconds for DNS, 20 to resolve an address and 5 for our test
 * request. After a crash, the domain is taken again when its lease expires.
 */
export const leaseDuration = 2 * minute
const shortestPause = 5 * second
const longestPause = 10 * minute

export const noLease = { lease_owner: null, lease_until: 0 } as const

interface Leasing {
  owner: string
  now: number
  /** Accounts whose domains are left out. */
  without: readonly Id<'account'>[]
}

/** Leases the domain that has been due for longest. Rows that another worker is leasing right now are skipped. */
export async function leaseNext(
  database: Database,
  { owner, now, without }: Leasing,
): Promise<Leased | null> {
  // Read first, so that idle workers do not queue for SQLite's single writer.
  const due =
    without.length === 0
      ? await firstDue(database, { now })
      : await dueAt(database.read, now, without).limit(1).execute()
  if (due.length === 0) return null
  const lease = { owner, until: now + leaseDuration }
  return database.write(async (tx) => {
    const query = dueAt(tx, now, without).limit(1)
    const first = await (database.dialect === 'postgres'
      ? query.forUpdate().skipLocked()
      : query
    ).executeTakeFirst()
    if (first === undefined) return null
    const row = await tx
      .updateTable('domains')
      .set({ lease_owner: lease.owner, lease_until: lease.until })
      .where('id', '=', first.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { row, lease }
  })
}

export function isLeasedBy(row: DomainRow, { owner, until }: Lease): boolean {
  return row.lease_owner === owner && row.lease_until === until
}

/** Releases a domain after a failed step. It is retried after as long as it is overdue by now. */
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

/** Another worker continues immediately. */
export async function releaseNow(database: Database, { row, lease }: Leased): Promise<void> {
  await database.write((tx) => leasedRow(tx, row, lease).set(noLease).execute())
}

/** The domain is not checked again until someone asks for it. */
export async function stopChecking(database: Database, { row, lease }: Leased): Promise<void> {
  await database.write((tx) =>
    leasedRow(tx, row, lease)
      .set({ ...noLease, next_check_at: null })
      .execute(),
  )
}

/** The row, if the lease still holds. */
function leasedRow(tx: Tx, { id }: DomainRow, { owner, until }: Lease) {
  return tx
    .updateTable('domains')
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('lease_until', '=', until)
}

const firstDue = compileOnce((db, { now }: { now: number }) => dueAt(db, now, []).limit(1))

/** A partial index on due domains keeps this cheap however many domains are not due. */
function dueAt(db: Database['read'] | Tx, now: number, without: Leasing['without']) {
  return db
    .selectFrom('domains')
    .select('id')
    .where('next_check_at', '<=', now)
    .where('lease_until', '<=', now)
    .$if(without.length > 0, (query) => query.where('account_id', 'not in', without))
    .orderBy('next_check_at')
}

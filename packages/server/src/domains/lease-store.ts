import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Database, Tx } from '../database/database.ts'
import { minute, second } from '../kernel/clock.ts'
import type { DomainRow } from './domain.ts'
import { leaseFirstDue } from './due-store.ts'

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
  account: Id<'account'>
  now: number
}

/** Leases the domain of an account that has been due for longest. */
export function leaseNext(database: Database, { owner, account, now }: Leasing): Promise<Leased | null> {
  const lease = { owner, until: now + leaseDuration }
  return leaseFirstDue(database, 'domains', { account, now }, async (tx, hostname) => {
    const row = await tx
      .updateTable('domains')
      .set({ lease_owner: lease.owner, lease_until: lease.until })
      .where('account_id', '=', account)
      .where('hostname', '=', hostname)
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

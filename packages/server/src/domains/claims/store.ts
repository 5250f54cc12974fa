import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'

const removedAtOnce = 1_000

export type TombstoneRow = Selectable<Schema['domain_tombstones']>

export function findTombstone(
  db: Reader,
  hostname: string,
  accountId: Id<'account'>,
): Promise<TombstoneRow | undefined> {
  return db
    .selectFrom('domain_tombstones')
    .selectAll()
    .where('hostname', '=', hostname)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

/** Keeps `held_at` of an earlier proof, even if the name was added again and removed without proving it. */
export async function putTombstone(tx: Tx, row: TombstoneRow): Promise<void> {
  await tx
    .insertInto('domain_tombstones')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['hostname', 'account_id']).doUpdateSet((e) => ({
        target: e.ref('excluded.target'),
        held_at: e.fn.coalesce('excluded.held_at', 'domain_tombstones.held_at'),
        removed_at: e.ref('excluded.removed_at'),
      })),
    )
    .execute()
}

/** Deletes the oldest tombstones beyond `kept` of names that the account never proved. */
export async function keepNewestUnproved(tx: Tx, accountId: Id<'account'>, kept: number): Promise<void> {
  const beyond = tx
    .selectFrom('domain_tombstones')
    .select('hostname')
    .where('account_id', '=', accountId)
    .where('held_at', 'is', null)
    .orderBy('removed_at', 'desc')
    .orderBy('hostname')
    .offset(kept)
    .limit(removedAtOnce)
  await tx
    .deleteFrom('domain_tombstones')
    .where('account_id', '=', accountId)
    .where('held_at', 'is', null)
    .where('hostname', 'in', beyond)
    .execute()
}

/** Deletes up to `most` tombstones of unproved names removed before a time, and returns how many. */
export async function deleteUnprovedTombstones(tx: Tx, before: number, most: number): Promise<number> {
  const old = await tx
    .selectFrom('domain_tombstones')
    .select(['hostname', 'account_id'])
    .where('held_at', 'is', null)
    .where('removed_at', '<', before)
    .limit(most)
    .execute()
  for (const { hostname, account_id } of old) {
    await tx
      .deleteFrom('domain_tombstones')
      .where('hostname', '=', hostname)
      .where('account_id', '=', account_id)
      .where('removed_at', '<', before)
      .execute()
  }
  return old.length
}

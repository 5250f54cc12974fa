import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { type ExpressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import type { Database, Reader, Tx } from '../database/database.ts'
import { containsText } from '../database/list-query.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'
import type { AccountRow } from './account.ts'

export async function insertAccount(tx: Tx, row: Insertable<Schema['accounts']>): Promise<void> {
  await tx.insertInto('accounts').values(row).execute()
}

export function findAccount(db: Reader, id: Id<'account'>): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export function firstAccount(db: Reader): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export function updateAccount(
  tx: Tx,
  id: Id<'account'>,
  change: Updateable<Schema['accounts']>,
): Promise<AccountRow | undefined> {
  noteChange(tx, 'access', id)
  return tx.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Null: the person is no member. */
export async function findRole(
  tx: Tx,
  accountId: Id<'account'>,
  personId: Id<'person'>,
): Promise<Role | null> {
  const row = await tx
    .selectFrom('members')
    .select('role')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return row?.role ?? null
}

/** Whose key it is now: of a person, or of the account with a person responsible for it. */
export function findActingKey(tx: Tx, accountId: Id<'account'>, id: Id<'key'>) {
  return tx
    .selectFrom('keys')
    .select(['person_id', 'responsible_id'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

function hasContents(e: ExpressionBuilder<Schema, 'accounts'>) {
  return e.or([
    e.exists(
      e.selectFrom('projects').select('projects.id').whereRef('projects.account_id', '=', 'accounts.id'),
    ),
    e.exists(
      e.selectFrom('webhooks').select('webhooks.id').whereRef('webhooks.account_id', '=', 'accounts.id'),
    ),
  ])
}

/**
 * Not those that still have projects or webhooks: these are removed first, with all that belongs to them. Nor those
 * whose files are not all swept, which needs their rows.
 */
export async function accountsDeletedBefore(db: Reader, at: number, limit: number): Promise<Id<'account'>[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('deleted_at', '<=', at)
    .where((e) => e.not(hasContents(e)))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('discarded_manifests')
            .select('deployment_id')
            .whereRef('discarded_manifests.account_id', '=', 'accounts.id'),
        ),
      ),
    )
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Deleted accounts that still have projects or webhooks. */
export async function deletedAccountsWithContents(db: Reader): Promise<Id<'account'>[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where(hasContents)
    .orderBy('deleted_at')
    .execute()
  return rows.map(({ id }) => id)
}

/** On SQLite, everything else waits for a batch. */
const deletedAtOnce = 200

/**
 * Deletes a batch of what an account may have very many of, which would be deleted with the account at once otherwise.
 * True if there may be more.
 */
export async function deleteSomeRowsOf(tx: Tx, id: Id<'account'>): Promise<boolean> {
  for (const [table, key] of [
    ['events', 'id'],
    ['domain_timeline', 'id'],
    ['blobs', 'sha256'],
  ] as const) {
    const some = sql`select ${sql.ref(key)} from ${sql.table(table)} where account_id = ${id} limit ${sql.lit(deletedAtOnce)}`
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where account_id = ${id} and ${sql.ref(key)} in (${some})`.execute(tx)
    // Fewer than asked for: others may have deleted some at the same time.
    if (numAffectedRows !== undefined && numAffectedRows > 0n) return true
  }
  return false
}

export async function deleteAccountRow(tx: Tx, id: Id<'account'>): Promise<void> {
  noteChange(tx, 'access', id)
  await tx.deleteFrom('accounts').where('id', '=', id).execute()
}

/** Newest first. One query per page; every count uses an index on the account. */
export function accountOverviewsBefore(
  { dialect, read }: Pick<Database, 'dialect' | 'read'>,
  { before, search, today, limit }: { before?: string; search?: string; today: number; limit: number },
) {
  let query = read
    .selectFrom('accounts')
    .selectAll('accounts')
    .select((e) => [
      ...(['projects', 'domains', 'members'] as const).map((table) =>
        e
          .selectFrom(table)
          .select(e.fn.countAll<number>().as('count'))
          .whereRef(`${table}.account_id`, '=', 'accounts.id')
          .as(table),
      ),
      e
        .selectFrom('request_counts')
        .select('requests')
        .whereRef('request_counts.account_id', '=', 'accounts.id')
        .where('unit', '=', 'day')
        .where('start', '=', today)
        .as('used_today'),
    ])
    .where('accounts.deleted_at', 'is', null)
    .orderBy('accounts.id', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('accounts.id', '<', before as Id<'account'>)
  if (search !== undefined) {
    query = query.where(containsText({ dialect }, 'accounts.name', search))
  }
  return query.execute()
}

import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Insertable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

function publishers(db: Reader) {
  return (
    db
      .selectFrom('trusted_publishers')
      .innerJoin('projects', 'projects.id', 'trusted_publishers.project_id')
      // Not of a project that is being removed.
      .whereRef('projects.slug', '!=', 'projects.id')
      .selectAll('trusted_publishers')
      .select('projects.slug as project_slug')
  )
}

export type PublisherRow = Awaited<ReturnType<typeof publishersOf>>[number]

/** Newest first. An account only has a few. */
export function publishersOf(db: Reader, accountId: Id<'account'>) {
  return publishers(db)
    .where('trusted_publishers.account_id', '=', accountId)
    .orderBy('trusted_publishers.id', 'desc')
    .execute()
}

/** Those that may deploy to a project now, by its id or slug. */
export function publishersOfProject(db: Reader, project: string) {
  const column = project.includes('_') ? 'projects.id' : 'projects.slug'
  return publishers(db)
    .innerJoin('accounts', 'accounts.id', 'trusted_publishers.account_id')
    .where(column, '=', project as Id<'project'>)
    .where('accounts.suspended_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
    .orderBy('trusted_publishers.id')
    .execute()
}

export async function insertPublisher(tx: Tx, row: Insertable<Schema['trusted_publishers']>): Promise<void> {
  await tx.insertInto('trusted_publishers').values(row).execute()
}

/** False: it was removed meanwhile. */
export async function markUsed(tx: Tx, id: Id<'publisher'>, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('trusted_publishers')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function reassignPublisher(tx: Tx, id: Id<'publisher'>, to: Id<'person'> | null): Promise<void> {
  await tx.updateTable('trusted_publishers').set({ responsible_id: to }).where('id', '=', id).execute()
}

export async function deletePublisher(tx: Tx, id: Id<'publisher'>): Promise<void> {
  await tx.deleteFrom('trusted_publishers').where('id', '=', id).execute()
}

/** False: it was exchanged before. */
export async function insertExchangedToken(
  tx: Tx,
  row: Insertable<Schema['exchanged_tokens']>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('exchanged_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function deleteTokensBefore(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('exchanged_tokens').where('expires_at', '<', time).execute()
}

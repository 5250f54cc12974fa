import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Selectable } from 'kysely'
import { compileOncePerLength } from '../database/compile-once.ts'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'

type ReleasedSlugRow = Selectable<Schema['released_slugs']>

export async function putReleasedSlug(tx: Tx, row: ReleasedSlugRow): Promise<void> {
  await tx
    .insertInto('released_slugs')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('slug').doUpdateSet((e) => ({
        account_id: e.ref('excluded.account_id'),
        released_at: e.ref('excluded.released_at'),
      })),
    )
    .execute()
}

export function findReleasedSlug(db: Reader, slug: string): Promise<ReleasedSlugRow | undefined> {
  return db.selectFrom('released_slugs').selectAll().where('slug', '=', slug).executeTakeFirst()
}

export const findReleasedSlugs = compileOncePerLength((db, slugs: readonly string[]) =>
  db.selectFrom('released_slugs').selectAll().where('slug', 'in', slugs),
)

export async function deleteReleasedSlug(tx: Tx, slug: string): Promise<void> {
  await tx.deleteFrom('released_slugs').where('slug', '=', slug).execute()
  // The project that has the slug now showed that it was used before.
  const query = tx.selectFrom('projects').select('account_id').where('slug', '=', slug)
  const project = await query.executeTakeFirst()
  if (project !== undefined) noteChange(tx, 'account', project.account_id)
}

/** Deletes all but the latest released slugs of an account. */
export async function keepNewestReleased(tx: Tx, accountId: Id<'account'>, kept: number): Promise<void> {
  const beyond = await tx
    .selectFrom('released_slugs')
    .select('slug')
    .where('account_id', '=', accountId)
    .orderBy('released_at', 'desc')
    .orderBy('slug')
    .offset(kept)
    .limit(kept)
    .execute()
  for (const { slug } of beyond) await deleteReleasedSlug(tx, slug)
}

/** Deletes a batch and returns how many there were. */
export async function deleteReleasedSlugs(tx: Tx, before: number, batchSize: number): Promise<number> {
  const old = await tx
    .selectFrom('released_slugs')
    .select('slug')
    .where('released_at', '<', before)
    .limit(batchSize)
    .execute()
  for (const { slug } of old) await deleteReleasedSlug(tx, slug)
  return old.length
}

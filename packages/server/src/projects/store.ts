import type { Id } from '@masthead/contract/ids.ts'
import type { Selectable, Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type ProjectRow = Selectable<Schema['projects']>

/** False: the slug is taken. */
export async function insertProject(tx: Tx, row: ProjectRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('projects')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** `name` is an id or a slug; an id has an underscore, which a slug cannot have. */
export function findProjectNamed(db: Reader, name: string): Promise<ProjectRow | undefined> {
  return projectsNamed(db, name).executeTakeFirst()
}

export function findProject(
  db: Reader,
  accountId: Id<'account'>,
  name: string,
): Promise<ProjectRow | undefined> {
  return projectsNamed(db, name).where('account_id', '=', accountId).executeTakeFirst()
}

function projectsNamed(db: Reader, name: string) {
  const column = name.includes('_') ? 'id' : 'slug'
  return db
    .selectFrom('projects')
    .selectAll()
    .where(column, '=', name as Id<'project'>)
}

export function findProjectById(db: Reader, id: Id<'project'>): Promise<ProjectRow | undefined> {
  return db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findProjectBySlug(db: Reader, slug: string): Promise<ProjectRow | undefined> {
  return db.selectFrom('projects').selectAll().where('slug', '=', slug).executeTakeFirst()
}

/** A project with what decides whether its site is shown. */
export function findSiteRow(db: Reader, slug: string) {
  return db
    .selectFrom('projects')
    .innerJoin('accounts', 'accounts.id', 'projects.account_id')
    .selectAll('projects')
    .select('accounts.suspended_at')
    .where('projects.slug', '=', slug)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst()
}

export function projectsBefore(
  db: Reader,
  accountId: Id<'account'>,
  before: string | undefined,
  limit: number,
): Promise<ProjectRow[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'project'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function slugsOf(db: Reader, accountId: Id<'account'>): Promise<string[]> {
  const rows = await db.selectFrom('projects').select('slug').where('account_id', '=', accountId).execute()
  return rows.map(({ slug }) => slug)
}

export function updateProject(
  tx: Tx,
  id: Id<'project'>,
  change: Updateable<Schema['projects']>,
): Promise<ProjectRow | undefined> {
  return tx.updateTable('projects').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

export async function deleteProjectRow(tx: Tx, id: Id<'project'>): Promise<void> {
  await tx.deleteFrom('projects').where('id', '=', id).execute()
}

import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import { type Id, idPrefixes } from '@masthead/contract/schemas/fields.ts'
import type { Selectable, Updateable } from 'kysely'
import { compileOnce } from '../database/compile-once.ts'
import type { Database, Reader, Tx } from '../database/database.ts'
import { containsText, invalidCursor } from '../database/list-query.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'

export type ProjectRow = Selectable<Schema['projects']>

/** False: the slug is taken. */
export async function insertProject(tx: Tx, row: ProjectRow): Promise<boolean> {
  noteChange(tx, 'account', row.account_id)
  const inserted = await tx
    .insertInto('projects')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/**
 * While a project is removed in several transactions, its slug is its id, which no other project can have as its slug.
 * Only the removal finds it.
 */
export async function hideProject(tx: Tx, id: Id<'project'>): Promise<void> {
  await updateProject(tx, id, { slug: id })
}

export async function isHiddenProject(tx: Tx, id: Id<'project'>): Promise<boolean> {
  const query = tx.selectFrom('projects').select('id').where('id', '=', id).whereRef('slug', '=', 'id')
  return (await query.executeTakeFirst()) !== undefined
}

export async function hiddenProjects(db: Reader): Promise<Id<'project'>[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .whereRef('slug', '=', 'id')
    // Finds them by the index of slugs, in whatever order the database sorts text.
    .where('slug', '>=', `${idPrefixes.project}_`)
    .where('slug', '<=', `${idPrefixes.project}_${'z'.repeat(20)}`)
    .execute()
  return rows.map(({ id }) => id)
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
    .whereRef('slug', '!=', 'id')
}

export function findProjectById(db: Reader, id: Id<'project'>): Promise<ProjectRow | undefined> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .whereRef('slug', '!=', 'id')
    .executeTakeFirst()
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
    .whereRef('projects.slug', '!=', 'projects.id')
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst()
}

export interface ProjectQuery {
  accountId: Id<'account'>
  order: 'created' | 'changed'
  /** The sort key of the last project on the previous page. */
  before: string | undefined
  search: string | undefined
  limit: number
}

/** Almost every request is for the first page. */
const firstPage = compileOnce((db, { accountId, limit }: Pick<ProjectQuery, 'accountId' | 'limit'>) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .whereRef('slug', '!=', 'id')
    .orderBy('id', 'desc')
    .limit(limit),
)

export function listProjects(
  database: Pick<Database, 'dialect' | 'read'>,
  { accountId, order, before, search, limit }: ProjectQuery,
): Promise<ProjectRow[]> {
  const { dialect, read } = database
  const isFirstPage = order === 'created' && before === undefined && search === undefined
  if (isFirstPage) return firstPage(database, { accountId, limit })
  let query = read
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .whereRef('slug', '!=', 'id')
    .limit(limit)
  if (search !== undefined) {
    query = query.where((where) =>
      where.or((['name', 'slug'] as const).map((column) => containsText({ dialect }, column, search))),
    )
  }
  if (order === 'created') {
    if (before !== undefined) query = query.where('id', '<', before as Id<'project'>)
    return query.orderBy('id', 'desc').execute()
  }
  if (before !== undefined) {
    const [at = '', id = ''] = before.split(':')
    if (!/^\d{1,15}$/.test(at)) throw invalidCursor()
    query = query.where((where) =>
      where(where.refTuple('updated_at', 'id'), '<', where.tuple(Number(at), id as Id<'project'>)),
    )
  }
  return query.orderBy('updated_at', 'desc').orderBy('id', 'desc').execute()
}

export function sortKeyOf(order: ProjectQuery['order'], { id, updated_at }: ProjectRow): string {
  return order === 'created' ? id : `${updated_at}:${id}`
}

export async function slugsOf(db: Reader, accountId: Id<'account'>): Promise<string[]> {
  const rows = await db.selectFrom('projects').select('slug').where('account_id', '=', accountId).execute()
  return rows.map(({ slug }) => slug)
}

export async function updateProject(
  tx: Tx,
  id: Id<'project'>,
  change: Updateable<Schema['projects']>,
): Promise<ProjectRow | undefined> {
  const query = tx.updateTable('projects').set(change).where('id', '=', id)
  const row = await query.returningAll().executeTakeFirst()
  if (row !== undefined) noteChange(tx, 'account', row.account_id)
  return row
}

export async function deleteProjectRow(tx: Tx, id: Id<'project'>): Promise<void> {
  const query = tx.deleteFrom('projects').where('id', '=', id)
  const row = await query.returning('account_id').executeTakeFirst()
  if (row !== undefined) noteChange(tx, 'account', row.account_id)
}

export interface SiteFilter {
  before?: string | undefined
  limit: number
  takenDownOnly: boolean
  /** A part of the slug, or the whole of a custom domain. */
  search?: string | undefined
  projectId?: Id<'project'> | undefined
}

/** Projects of all accounts with the account's name, newest first. */
export function sitesBefore(database: Pick<Database, 'dialect' | 'read'>, filter: SiteFilter) {
  const { before, search, projectId } = filter
  let query = database.read
    .selectFrom('projects')
    .innerJoin('accounts', 'accounts.id', 'projects.account_id')
    .selectAll('projects')
    .select('accounts.name as account_name')
    .where('accounts.deleted_at', 'is', null)
    .whereRef('projects.slug', '!=', 'projects.id')
    .orderBy('projects.id', 'desc')
    .limit(filter.limit)
  if (before !== undefined) query = query.where('projects.id', '<', before as Id<'project'>)
  if (projectId !== undefined) query = query.where('projects.id', '=', projectId)
  if (filter.takenDownOnly) query = query.where('projects.takedown_at', 'is not', null)
  if (search !== undefined) {
    query = query.where((e) =>
      e.or([
        containsText(database, 'projects.slug', search),
        // Not `exists`, which would look for the domain once for each project of the server.
        e(
          'projects.id',
          'in',
          e
            .selectFrom('domains')
            .select('domains.project_id')
            // Reports name what visitors saw, which may be below a wildcard.
            .where('domains.hostname', 'in', [search, wildcardOver(search) ?? search]),
        ),
      ]),
    )
  }
  return query.execute()
}

export async function domainNamesOf(db: Reader, projects: Id<'project'>[]) {
  if (projects.length === 0) return []
  return db
    .selectFrom('domains')
    .select(['project_id', 'hostname'])
    .where('project_id', 'in', projects)
    .orderBy('hostname')
    .limit(1_000)
    .execute()
}

import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Context, Reader } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { Problem } from '../kernel/problem.ts'
import { activeProtection } from '../protection/protection.ts'
import { findReleasedSlugs } from './released-slug-store.ts'
import type { SiteBlock, SiteRecord, SiteTarget } from './site.ts'
import {
  findProject,
  findProjectNamed,
  findSiteRow,
  hiddenProjects,
  listProjects,
  type ProjectQuery,
  type ProjectRow,
  slugsOf,
  sortKeyOf,
} from './store.ts'

/** By slug, when other accounts stopped using the slugs of these projects. */
export async function readFormerUses(
  { database }: Pick<Context, 'database'>,
  rows: readonly ProjectRow[],
): Promise<Map<string, number>> {
  const released = await findReleasedSlugs(
    database,
    rows.map(({ slug }) => slug),
  )
  const owner = new Map(rows.map(({ slug, account_id }) => [slug, account_id]))
  const others = released.filter(({ slug, account_id }) => owner.get(slug) !== account_id)
  return new Map(others.map(({ slug, released_at }) => [slug, released_at]))
}

/** By id or slug. Projects of other accounts are not found. */
export async function readProject(
  { database }: Pick<Context, 'database'>,
  accountId: Id<'account'>,
  name: string,
): Promise<ProjectRow> {
  const row = await findProject(database.read, accountId, name)
  if (row === undefined) throw new Problem('not_found', `There is no project ${name} in this account.`)
  return row
}

/** Whether a name, by id or slug, means this project of the account. */
export async function isProject(
  { database }: Pick<Context, 'database'>,
  accountId: Id<'account'>,
  name: string,
  id: string,
): Promise<boolean> {
  return (await findProject(database.read, accountId, name))?.id === id
}

/** Projects whose removal was interrupted, or is under way. */
export function readUnfinishedRemovals({ database }: Pick<Context, 'database'>): Promise<Id<'project'>[]> {
  return hiddenProjects(database.read)
}

/** Does not check who is asking: only use it to compare with the actor's account. */
export async function readOwner(
  { database }: Pick<Context, 'database'>,
  name: string,
): Promise<Id<'account'> | undefined> {
  return (await findProjectNamed(database.read, name))?.account_id
}

export type ProjectsRequest = PageRequest & Pick<ProjectQuery, 'order'> & { search?: string | undefined }

export async function readProjects(
  { database }: Pick<Context, 'database'>,
  accountId: Id<'account'>,
  { cursor, limit, order, search }: ProjectsRequest,
): Promise<Page<ProjectRow>> {
  const query = { accountId, order, before: readCursor(cursor), search, limit: limit + 1 }
  return toPage(
    await listProjects(database, query),
    limit,
    (row) => sortKeyOf(order, row),
    (row) => row,
  )
}

export function readSlugs(db: Reader, accountId: Id<'account'>): Promise<string[]> {
  return slugsOf(db, accountId)
}

/**
 * What the first label of a platform host names: `{slug}`, `{deployment}--{slug}` or `{branch}--{slug}`. Ids and labels
 * of branches have no `--`, so the first separates the two.
 */
export function readSiteLabel(label: string): Exclude<SiteTarget, { kind: 'branch' }> | null {
  if (!/^[a-z0-9-]+$/.test(label)) return null
  const separator = label.indexOf('--')
  if (separator === -1) return { kind: 'project', slug: label }
  const deployment = label.slice(0, separator)
  const slug = label.slice(separator + 2)
  return deployment === '' || slug === '' ? null : { kind: 'preview', deployment, slug }
}

/** One year in seconds, as is usual. */
const strictTransportSeconds = 31_536_000

export function hstsMaxAgeOf(row: Pick<ProjectRow, 'strict_transport'>): number | null {
  return row.strict_transport === 1 ? strictTransportSeconds : null
}

type Blocking = Pick<ProjectRow, 'takedown_at' | 'takedown_reason' | 'takedown_status'> & {
  suspended_at: number | null
}

/** Visitors see the reason of a takedown. Only members see why an account is suspended. */
function blockOf(row: Blocking): SiteBlock | null {
  if (row.takedown_at !== null)
    return { status: row.takedown_status ?? 451, reason: row.takedown_reason ?? '' }
  return row.suspended_at === null ? null : { status: 503, reason: null }
}

export async function readSite(
  { database }: Pick<Context, 'database'>,
  slug: string,
): Promise<SiteRecord | null> {
  const row = await findSiteRow(database.read, slug)
  if (row === undefined) return null
  const blocked = blockOf(row)
  const protection = activeProtection(row.protection)
  return {
    projectId: row.id,
    accountId: row.account_id,
    slug: row.slug,
    deploymentId: row.active_deployment_id,
    htmlHandling: row.html_handling,
    singlePage: row.single_page === 1,
    immutableAssets: row.immutable_assets === 1,
    staleWhileRevalidate: row.stale_while_revalidate,
    redirect: null,
    hstsMaxAge: hstsMaxAgeOf(row),
    ...(protection !== null && { protection }),
    ...(blocked !== null && { blocked }),
  }
}

import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Context, Reader } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { Problem } from '../kernel/problem.ts'
import { findReleasedSlugs } from './released-slug-store.ts'
import type { SiteBlock, SiteRecord } from './site.ts'
import {
  findProject,
  findProjectNamed,
  findSiteRow,
  listProjects,
  type ProjectRow,
  type ProjectsWanted,
  slugsOf,
  sortKeyOf,
} from './store.ts'

/** Until when other accounts used the slugs of these projects, by slug. */
export async function readFormerUses(
  { database }: Pick<Context, 'database'>,
  rows: readonly ProjectRow[],
): Promise<Map<string, number>> {
  const released = await findReleasedSlugs(
    database.read,
    rows.map(({ slug }) => slug),
  )
  const owner = new Map(rows.map(({ slug, account_id }) => [slug, account_id]))
  const others = released.filter(({ slug, account_id }) => owner.get(slug) !== account_id)
  return new Map(others.map(({ slug, released_at }) => [slug, released_at]))
}

/** A project of the account, by id or slug. What belongs to others does not exist. */
export async function readProject(
  { database }: Pick<Context, 'database'>,
  accountId: Id<'account'>,
  name: string,
): Promise<ProjectRow> {
  const row = await findProject(database.read, accountId, name)
  if (row === undefined) throw new Problem('not_found', `There is no project ${name} in this account.`)
  return row
}

/** The account that a project belongs to, whoever asks: only for comparing it with theirs. */
export async function readOwner(
  { database }: Pick<Context, 'database'>,
  name: string,
): Promise<Id<'account'> | undefined> {
  return (await findProjectNamed(database.read, name))?.account_id
}

export type ProjectsRequest = PageRequest & Pick<ProjectsWanted, 'order'> & { search?: string | undefined }

export async function readProjects(
  { database }: Pick<Context, 'database'>,
  accountId: Id<'account'>,
  { cursor, limit, order, search }: ProjectsRequest,
): Promise<Page<ProjectRow>> {
  const wanted = { accountId, order, before: readCursor(cursor), search, limit: limit + 1 }
  return toPage(
    await listProjects(database, wanted),
    limit,
    (row) => sortKeyOf(order, row),
    (row) => row,
  )
}

/** Every slug of an account. */
export function readSlugs(db: Reader, accountId: Id<'account'>): Promise<string[]> {
  return slugsOf(db, accountId)
}

/** In seconds: a year, as is usual. */
const strictFor = 31_536_000

export function hstsMaxAgeOf(row: Pick<ProjectRow, 'strict_transport'>): number | null {
  return row.strict_transport === 1 ? strictFor : null
}

type Blocking = Pick<ProjectRow, 'takedown_at' | 'takedown_reason' | 'takedown_status'> & {
  suspended_at: number | null
}

/** What a reason was given for is told; why an account is suspended is for its people. */
export function blockOf(row: Blocking): SiteBlock | null {
  if (row.takedown_at !== null)
    return { status: row.takedown_status ?? 451, reason: row.takedown_reason ?? '' }
  return row.suspended_at === null ? null : { status: 503, reason: null }
}

/** What the edge needs to serve a project. */
export async function readSite(
  { database }: Pick<Context, 'database'>,
  slug: string,
): Promise<SiteRecord | null> {
  const row = await findSiteRow(database.read, slug)
  if (row === undefined) return null
  const blocked = blockOf(row)
  return {
    projectId: row.id,
    accountId: row.account_id,
    slug: row.slug,
    deploymentId: row.active_deployment_id,
    htmlHandling: row.html_handling,
    singlePage: row.single_page === 1,
    redirect: null,
    hstsMaxAge: hstsMaxAgeOf(row),
    ...(blocked !== null && { blocked }),
  }
}

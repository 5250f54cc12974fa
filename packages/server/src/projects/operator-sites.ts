import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorSite } from '@masthead/contract/schemas/operator.ts'
import type { Addresses } from '../config/addresses.ts'
import type { Context } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { isoTime } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { type ProjectRow, takedownOf } from './project.ts'
import { domainNamesOf, findProjectNamed, type SiteFilter, sitesBefore } from './store.ts'

/** Shown per site. */
const maxDomains = 10

interface SitesInput extends PageRequest {
  search?: string | undefined
  takenDownOnly: boolean
}

/** For the operator: sites of all accounts. */
export async function listSites(
  context: Context,
  addresses: Addresses,
  { cursor, limit, search, takenDownOnly }: SitesInput,
): Promise<Page<OperatorSite>> {
  const filter = {
    before: readCursor(cursor),
    takenDownOnly,
    search: search && searchTerm(search, addresses),
  }
  const rows = await readSites(context, addresses, { ...filter, limit: limit + 1 })
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => row,
  )
}

export async function describeSite(
  context: Context,
  addresses: Addresses,
  project: ProjectRow,
): Promise<OperatorSite> {
  const filter = { projectId: project.id, takenDownOnly: false, limit: 1 }
  const [site] = await readSites(context, addresses, filter)
  if (site === undefined) throw noSuchSite(project.slug)
  return site
}

export async function readAnyProject({ database }: Context, name: string): Promise<ProjectRow> {
  const row = await findProjectNamed(database.read, name)
  if (row === undefined) throw noSuchSite(name)
  return row
}

async function readSites(
  { database }: Context,
  addresses: Addresses,
  filter: SiteFilter,
): Promise<OperatorSite[]> {
  const rows = await sitesBefore(database, filter)
  const names = await domainNamesOf(
    database.read,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    slug: row.slug,
    name: row.name,
    url: addresses.project(row.slug),
    accountId: row.account_id,
    accountName: row.account_name,
    domains: names
      .filter(({ project_id }) => project_id === row.id)
      .slice(0, maxDomains)
      .map(({ hostname }) => hostname),
    published: row.active_deployment_id !== null,
    takedown: takedownOf(row),
    createdAt: isoTime(row.created_at),
  }))
}

/** Abuse reports contain URLs: searches for the host of a URL, and for the slug in a host of the platform. */
function searchTerm(text: string, addresses: Addresses): string {
  const typed = text.includes('://') ? text : `http://${text}`
  const host = URL.canParse(typed) ? new URL(typed).hostname : text.toLowerCase()
  const platform = new URL(addresses.project('x')).hostname.slice(1)
  if (!host.endsWith(platform)) return host
  const label = host.slice(0, -platform.length)
  return label.split('--').at(-1) ?? label
}

function noSuchSite(name: string): Problem {
  return new Problem('not_found', `There is no project ${name}.`)
}

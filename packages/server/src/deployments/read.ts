import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { SiteRule } from '@masthead/contract/schemas/site-rule.ts'
import { showRules } from '@masthead/contract/site-rules/show-rules.ts'
import type { Addresses } from '../config/addresses.ts'
import type { Context } from '../database/database.ts'
import { invalidCursor, type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { Problem } from '../kernel/problem.ts'
import type { ProjectRow } from '../projects/project.ts'
import { readSite } from '../projects/read.ts'
import type { SiteRecord, SiteTarget } from '../projects/site.ts'
import { isDeploymentLabel } from './branch-label.ts'
import { type DeploymentContext, toDeployment } from './deployment.ts'
import { readRules } from './manifest-document.ts'
import {
  type DeploymentRow,
  deploymentsBefore,
  findDeployment,
  findDeployments,
  findNewestOfBranch,
} from './store.ts'

type Reads = Pick<Context, 'database'>

export async function readDeployment(
  { database }: Reads,
  project: ProjectRow,
  id: Id<'deployment'>,
): Promise<DeploymentRow> {
  const row = await findDeployment(database.read, id)
  if (row === undefined || row.project_id !== project.id) {
    throw new Problem('not_found', `The project ${project.slug} has no deployment ${id}.`)
  }
  return row
}

export async function listDeployments(
  { database }: Reads,
  project: ProjectRow,
  addresses: Addresses,
  { cursor, limit }: PageRequest,
): Promise<Page<Deployment>> {
  const rows = await deploymentsBefore(database.read, project.id, readCursor(cursor), limit + 1)
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => toDeployment(row, project, addresses),
  )
}

/** By id. */
export async function readActiveDeployments(
  { database }: Reads,
  projects: ProjectRow[],
): Promise<Map<string, DeploymentRow>> {
  const ids = projects.flatMap((project) => project.active_deployment_id ?? [])
  const rows = await findDeployments(database, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The live deployment of a project, a preview of a ready one, or the newest ready one of a branch. */
export async function findSite(reads: Reads, target: SiteTarget): Promise<SiteRecord | null> {
  const site = await readSite(reads, target.slug)
  if (site === null || target.kind === 'project') return site
  if (target.kind === 'branch') {
    const newest = await findNewestOfBranch(reads.database.read, site.projectId as Id<'project'>, [
      'branch',
      target.branch,
    ])
    return newest === undefined
      ? { ...site, deploymentId: null, emptyBranch: target.branch }
      : { ...site, deploymentId: newest.id }
  }
  if (!isDeploymentLabel(target.deployment)) {
    const newest = await findNewestOfBranch(reads.database.read, site.projectId as Id<'project'>, [
      'branch_label',
      target.deployment,
    ])
    return newest === undefined ? null : { ...site, deploymentId: newest.id }
  }
  const deployment = await findDeployment(reads.database.read, `dpl_${target.deployment}`)
  if (deployment?.project_id !== site.projectId || deployment.state !== 'ready') return null
  return { ...site, deploymentId: deployment.id }
}

/** In the order in which they are read. */
export async function listRules(
  { blobs }: Pick<DeploymentContext, 'blobs'>,
  deployment: DeploymentRow,
  { cursor, limit, contains }: PageRequest & { contains?: string | undefined },
): Promise<Page<SiteRule>> {
  const after = readCursor(cursor)
  const start = after === undefined ? 0 : Number(after) + 1
  if (!Number.isSafeInteger(start)) throw invalidCursor()
  const rules = deployment.state === 'ready' ? await readRules(blobs, deployment.id) : null
  const numbered = rules === null ? [] : [...showRules(rules, contains).entries()]
  return toPage(
    numbered.slice(start, start + limit + 1),
    limit,
    ([at]) => String(at),
    ([, rule]) => rule,
  )
}

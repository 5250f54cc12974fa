import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { ProjectChange } from '@masthead/contract/schemas/project.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import type { ProjectContext } from './create-project.ts'
import { claimSlug, lockSlugs, releaseSlug, slugTaken } from './slugs.ts'
import {
  deleteProjectRow,
  findProjectById,
  findProjectBySlug,
  hideProject,
  isHiddenProject,
  type ProjectRow,
  updateProject,
} from './store.ts'

function projectLock(id: Id<'project'>): string {
  return `project:${id}`
}

/**
 * Serializes changes to a project and its deployments, and returns the current project. To avoid deadlocks, take the
 * account's uploads lock before this one.
 */
export async function lockProject(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  id: Id<'project'>,
): Promise<ProjectRow | undefined> {
  await lock(database, tx, projectLock(id))
  return findProjectById(tx, id)
}

/** The same, and refuses if the project was deleted meanwhile. */
export async function requireProject(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  { id, slug }: Pick<ProjectRow, 'id' | 'slug'>,
): Promise<ProjectRow> {
  const row = await lockProject(database, tx, id)
  if (row === undefined) throw new Problem('not_found', `There is no project ${slug}.`)
  return row
}

export function changeProject(
  { database, now, changes }: ProjectContext,
  { project, change, by }: { project: ProjectRow; change: ProjectChange; by: EventActor },
): Promise<ProjectRow> {
  return database.write(async (tx) => {
    const at = now()
    const before = await requireProject(database, tx, project)
    if (change.slug !== undefined && change.slug !== before.slug) {
      await lockSlugs(database, tx, [before.slug, change.slug])
      if ((await findProjectBySlug(tx, change.slug)) !== undefined) throw slugTaken(change.slug)
      const accountId = before.account_id
      await claimSlug(tx, { slug: change.slug, accountId, at })
      await releaseSlug(tx, { slug: before.slug, accountId, at })
    }
    const row = await updateProject(tx, project.id, {
      ...(change.slug === undefined ? {} : { slug: change.slug }),
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.htmlHandling === undefined ? {} : { html_handling: change.htmlHandling }),
      ...(change.singlePage === undefined ? {} : { single_page: change.singlePage ? 1 : 0 }),
      ...(change.strictTransportSecurity === undefined
        ? {}
        : { strict_transport: change.strictTransportSecurity ? 1 : 0 }),
      ...(change.immutableAssets === undefined ? {} : { immutable_assets: change.immutableAssets ? 1 : 0 }),
      ...(change.staleWhileRevalidate === undefined
        ? {}
        : { stale_while_revalidate: change.staleWhileRevalidate }),
      ...(change.productionBranch === undefined ? {} : { production_branch: change.productionBranch }),
      updated_at: at,
    })
    const after = row ?? before
    for (const subject of new Set([before.slug, after.slug])) {
      await changes.record(tx, { kind: 'project', subject })
    }
    const event = { accountId: project.account_id, projectId: project.id, by, at }
    await recordEvent(tx, { ...event, type: 'project.changed', data: { ...change } })
    return after
  })
}

/** Publishing is this one update of one column. */
export async function setActiveDeployment(
  tx: Tx,
  projectId: Id<'project'>,
  deploymentId: Id<'deployment'>,
  at: number,
): Promise<void> {
  await updateProject(tx, projectId, { active_deployment_id: deploymentId, updated_at: at })
}

/** Deletes the project, or if much of it is left, hides it from everybody until `finishDeletionIn`. */
export async function deleteProjectIn(
  { changes, database, now }: ProjectContext,
  tx: Tx,
  project: ProjectRow,
  { hasMore = false } = {},
): Promise<void> {
  const { id, slug, account_id: accountId } = project
  await lockSlugs(database, tx, [slug])
  await (hasMore ? hideProject(tx, id) : deleteProjectRow(tx, id))
  await releaseSlug(tx, { slug, accountId, at: now() })
  // Domains that are left must not be served from memory either.
  await changes.record(tx, { kind: hasMore ? 'project_stopped' : 'project', subject: slug })
}

/** False: the project is not hidden, or gone. */
export async function lockHiddenProject(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  id: Id<'project'>,
): Promise<boolean> {
  await lock(database, tx, projectLock(id))
  return isHiddenProject(tx, id)
}

export async function finishDeletionIn(tx: Tx, id: Id<'project'>): Promise<void> {
  await deleteProjectRow(tx, id)
}

import type { ProjectChange } from '@masthead/contract/schemas/project.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import type { ProjectContext } from './create-project.ts'
import { lockProject } from './lock-project.ts'
import { claimSlug, lockSlugs, releaseSlug } from './released-slugs.ts'
import { slugTaken } from './slug-lock.ts'
import { findProjectBySlug, type ProjectRow, updateProject } from './store.ts'

export function changeProject(
  { database, now, changes }: ProjectContext,
  { project, change, by }: { project: ProjectRow; change: ProjectChange; by: EventActor },
): Promise<ProjectRow> {
  return database.write(async (tx) => {
    const at = now()
    const before = await lockProject(database, tx, project.id)
    if (before === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
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

import type { ProjectChange } from '@masthead/contract/schemas/project.ts'
import { lock } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import { type ProjectContext, slugTaken } from './create-project.ts'
import { findProjectBySlug, type ProjectRow, updateProject } from './store.ts'

export function changeProject(
  { database, now, changes }: ProjectContext,
  { project, change, by }: { project: ProjectRow; change: ProjectChange; by: EventActor },
): Promise<ProjectRow> {
  return database.write(async (tx) => {
    const at = now()
    if (change.slug !== undefined && change.slug !== project.slug) {
      await lock(database, tx, `slug:${change.slug}`)
      if ((await findProjectBySlug(tx, change.slug)) !== undefined) throw slugTaken(change.slug)
      await changes.record(tx, { kind: 'project', subject: change.slug })
    }
    const row = await updateProject(tx, project.id, {
      ...(change.slug === undefined ? {} : { slug: change.slug }),
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.htmlHandling === undefined ? {} : { html_handling: change.htmlHandling }),
      ...(change.singlePage === undefined ? {} : { single_page: change.singlePage ? 1 : 0 }),
      updated_at: at,
    })
    if (row === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
    await changes.record(tx, { kind: 'project', subject: project.slug })
    const event = { accountId: project.account_id, projectId: project.id, by, at }
    await recordEvent(tx, { ...event, type: 'project.changed', data: { ...change } })
    return row
  })
}

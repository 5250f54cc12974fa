import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { lockProject } from '../../projects/change-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, noSuchDomain } from '../domain.ts'
import { lockHostname } from '../locks.ts'
import { findDomain, updateDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'

export interface FollowBranch {
  project: ProjectRow
  hostname: string
  /** Null shows what is live, and so does the production branch. */
  branch: string | null
  by: EventActor
}

/** The domain shows the newest deployment of a branch from the next request on, whether the branch exists yet or not. */
export function followBranch(
  { database, changes, now }: DomainContext,
  { project, hostname, branch, by }: FollowBranch,
): Promise<DomainRow> {
  return database.write(async (tx) => {
    const at = now()
    const current = await lockProject(database, tx, project.id)
    await lockHostname(database, tx, hostname)
    const row = await findDomain(tx, project.id, hostname)
    if (current === undefined || row === undefined) throw noSuchDomain(project, hostname)
    const followed = branch === current.production_branch ? null : branch
    if (followed === row.branch) return row
    const changed = await updateDomain(tx, row.id, { branch: followed })
    const data = { was: row.branch, is: followed }
    await recordTimeline(tx, { domain: row, kind: 'branch_changed', at, by, data })
    const event = { accountId: row.account_id, projectId: row.project_id, by, at }
    await recordEvent(tx, { ...event, type: 'domain.branch_changed', data: { hostname, branch: followed } })
    await changes.record(tx, { kind: 'domain', subject: hostname })
    return changed ?? row
  })
}

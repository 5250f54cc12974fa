import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { AccountRow } from '../accounts/account.ts'
import { setSuspension } from '../accounts/account-lifecycle.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { lockProject } from './change-project.ts'
import type { ProjectContext } from './create-project.ts'
import type { ProjectRow } from './project.ts'
import { readSlugs } from './read.ts'
import { updateProject } from './store.ts'

export interface TakedownInput {
  project: ProjectRow
  /** Null restores the site. */
  takedown: { reason: string; status: 403 | 451 } | null
  by: EventActor
}

/** Takes a site down or restores it, on every node from the next request on. */
export function setTakedown(
  { database, now, changes }: ProjectContext,
  { project, takedown, by }: TakedownInput,
): Promise<ProjectRow> {
  return database.write(async (tx) => {
    const at = now()
    const before = await lockProject(database, tx, project.id)
    if (before === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
    const { reason, status } = takedown ?? { reason: null, status: null }
    if (before.takedown_reason === reason && before.takedown_status === status) return before
    const takedown_at = takedown === null ? null : (before.takedown_at ?? at)
    const change = { takedown_at, takedown_reason: reason, takedown_status: status }
    const after = await updateProject(tx, project.id, change)
    const kind = takedown === null ? 'project' : 'project_stopped'
    await changes.record(tx, { kind, subject: before.slug })
    const event = { accountId: before.account_id, projectId: before.id, by, at }
    const data = { slug: before.slug, ...takedown }
    await recordEvent(tx, {
      ...event,
      type: takedown === null ? 'project.restored' : 'project.taken_down',
      data,
    })
    return after ?? before
  })
}

/** Suspends an account, or restores it if `reason` is null, and makes every edge reload its sites. */
export function suspendAccount(
  { database, now, changes }: ProjectContext,
  input: { accountId: Id<'account'>; reason: string | null; by: EventActor },
): Promise<AccountRow> {
  return database.write(async (tx) => {
    const { account, isChanged } = await setSuspension(tx, { ...input, at: now() })
    if (!isChanged) return account
    const kind = input.reason === null ? 'project' : 'project_stopped'
    const slugs = await readSlugs(tx, input.accountId)
    await changes.record(tx, ...slugs.map((subject) => ({ kind, subject }) as const))
    return account
  })
}

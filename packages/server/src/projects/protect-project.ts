import type { ProtectionInput } from '@masthead/contract/schemas/project.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { day } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { hashNewPassword } from '../people/password-rules.ts'
import { activeProtection, formatProtection, parseProtection } from '../protection/protection.ts'
import { lockProject } from './change-project.ts'
import type { ProjectContext } from './create-project.ts'
import { type ProjectRow, updateProject } from './store.ts'

/** How long a removed password can be restored. */
const restorable = day

interface Target {
  project: ProjectRow
  by: EventActor
}

/** Sets what needs a password, and the password itself if one is given. */
export async function setProtection(
  context: ProjectContext,
  { project, input, by }: Target & { input: ProtectionInput },
): Promise<ProjectRow> {
  const { scope, paths, note, password } = input
  // Before the transaction, because it is slow.
  const hash = password === undefined ? null : await hashNewPassword(password, [project.slug, project.name])
  return change(context, project, async (tx, before, at) => {
    const active = activeProtection(before.protection)
    if (hash === null && active === null) {
      const message = 'is required: there is no password yet'
      throw new Problem('invalid_input', `The password ${message}.`, {
        extra: { errors: [{ path: 'password', message }] },
      })
    }
    const protection = formatProtection({
      ...{ scope, paths, note },
      hash: hash ?? active?.hash ?? '',
      passwordSetAt: hash === null ? (active?.passwordSetAt ?? at) : at,
    })
    const data = { slug: before.slug, scope, paths, password: hash !== null }
    await record(tx, before, { type: 'project.protected', by, at, data })
    return protection
  })
}

/** The password is kept for a day, so that the removal can be undone. */
export function removeProtection(context: ProjectContext, { project, by }: Target): Promise<ProjectRow> {
  return change(context, project, async (tx, before, at) => {
    const active = activeProtection(before.protection)
    if (active === null) throw notProtected(before)
    await record(tx, before, { type: 'project.unprotected', by, at, data: { slug: before.slug } })
    return formatProtection({ ...active, removedAt: at })
  })
}

export function restoreProtection(context: ProjectContext, { project, by }: Target): Promise<ProjectRow> {
  return change(context, project, async (tx, before, at) => {
    const stored = parseProtection(before.protection)
    if (stored?.removedAt === undefined || stored.removedAt + restorable < at) {
      throw new Problem(
        'not_found',
        `There is no removed password of ${before.slug} to restore. Set a new one.`,
      )
    }
    const { removedAt: _, ...protection } = stored
    const data = { slug: before.slug, scope: stored.scope, paths: stored.paths, password: false }
    await record(tx, before, { type: 'project.protected', by, at, data })
    return formatProtection(protection)
  })
}

/** On every node from the next request on: no edge serves the site from memory until it knows the change. */
function change(
  { database, now, changes }: ProjectContext,
  project: ProjectRow,
  decide: (tx: Tx, before: ProjectRow, at: number) => Promise<string>,
): Promise<ProjectRow> {
  return database.write(async (tx) => {
    const at = now()
    const before = await lockProject(database, tx, project.id)
    if (before === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
    const protection = await decide(tx, before, at)
    const after = await updateProject(tx, project.id, { protection, updated_at: at })
    await changes.record(tx, { kind: 'project_stopped', subject: before.slug })
    return after ?? before
  })
}

function record(
  tx: Tx,
  project: ProjectRow,
  event: Pick<Parameters<typeof recordEvent>[1], 'type' | 'by' | 'at' | 'data'>,
): Promise<void> {
  return recordEvent(tx, { accountId: project.account_id, projectId: project.id, ...event })
}

function notProtected({ slug }: ProjectRow): Problem {
  return new Problem('not_found', `${slug} has no password.`)
}

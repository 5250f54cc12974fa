import type { Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { detachFromConfig } from '../config/change-config.ts'
import { recordTouchedNames } from '../config/record-changes.ts'
import type { DomainContext } from '../context.ts'
import type { DomainRow } from '../domain.ts'
import { updateDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'

export interface Move {
  row: DomainRow
  from: ProjectRow
  to: ProjectRow
  by: EventActor
  at: number
}

/**
 * Moves a domain to another project of its account. Its proof, records and state stay, so it is served without a gap.
 * The caller has locked both projects and the name.
 */
export async function moveDomainIn(
  context: DomainContext,
  tx: Tx,
  { row, from, to, by, at }: Move,
): Promise<DomainRow> {
  const { hostname } = row
  const { touched } = await detachFromConfig(context, tx, { project: from, hostname, by, at })
  const moved = await updateDomain(tx, row.id, { project_id: to.id, branch: null })
  if (row.branch !== null) {
    const shown = { was: row.branch, is: null }
    await recordTimeline(tx, { domain: row, kind: 'branch_changed', at, by, data: shown })
  }
  const data = { from: from.slug, to: to.slug }
  await recordTimeline(tx, { domain: row, kind: 'moved', at, by, data })
  const event = { accountId: row.account_id, projectId: to.id, by, at }
  await recordEvent(tx, { ...event, type: 'domain.moved', data: { hostname, ...data } })
  await context.changes.record(tx, { kind: 'domain', subject: hostname })
  await recordTouchedNames(context, tx, from.slug, touched)
  return moved ?? row
}

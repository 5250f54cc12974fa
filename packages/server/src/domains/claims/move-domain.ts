import type { Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { detachFromConfig } from '../config/change-config.ts'
import { changeForName } from '../config/record-changes.ts'
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
 * Gives a domain to another project of its account, as it is: the proof, the records and the state stay, so it is
 * served without a gap. Both projects and the name are locked.
 */
export async function moveDomainIn(
  context: DomainContext,
  tx: Tx,
  { row, from, to, by, at }: Move,
): Promise<DomainRow> {
  const { changes } = context
  const { hostname } = row
  const { dropped } = await detachFromConfig(context, tx, { project: from, hostname, by, at })
  const moved = await updateDomain(tx, row.id, { project_id: to.id })
  const data = { from: from.slug, to: to.slug }
  await recordTimeline(tx, { domain: row, kind: 'moved', at, by, data })
  const event = { accountId: row.account_id, projectId: to.id, by, at }
  await recordEvent(tx, { ...event, type: 'domain.moved', data: { hostname, ...data } })
  await changes.record(tx, { kind: 'domain', subject: hostname })
  for (const redirect of dropped) await changes.record(tx, changeForName(redirect.from, from.slug))
  return moved ?? row
}

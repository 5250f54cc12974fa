import type { EventKind } from '@masthead/contract/events.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Context } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { isoTime } from '../kernel/clock.ts'
import { type EventRow, eventsBefore } from './store.ts'

export interface EventFilter {
  kind?: EventKind | undefined
  projectId?: Id<'project'> | undefined
}

export async function listEvents(
  { database }: Context,
  accountId: Id<'account'>,
  { cursor, limit, kind, projectId }: PageRequest & EventFilter,
): Promise<Page<AccountEvent>> {
  const filter = { accountId, kind, projectId }
  const rows = await eventsBefore(database.read, filter, readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toEvent)
}

function toEvent(row: EventRow): AccountEvent {
  return {
    id: row.id,
    type: row.type,
    at: isoTime(row.at),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    projectId: row.project_id,
    data: JSON.parse(row.data) as Record<string, unknown>,
  }
}

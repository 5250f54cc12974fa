import type { EventType } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../database/database.ts'
import { newId } from '../kernel/ids.ts'
import { noteChange } from './noted-changes.ts'
import { insertEvent, insertIntoOutbox, insertNotices } from './store.ts'

/** Marks the account as changed by this transaction, for members who may be looking at it. */
export function noteAccountChange(tx: Tx, accountId: Id<'account'>): void {
  noteChange(tx, 'account', accountId)
}

/** Stored with its name, because the key or person may be gone when the activity is read. */
export interface EventActor {
  kind: 'person' | 'key' | 'operator' | 'system'
  id: string | null
  name: string
}

/** For what happens automatically. */
export const system: EventActor = { kind: 'system', id: null, name: 'Masthead' }

/** Something has stopped working, or will, while nobody may be looking. `mail/compose.ts` has the words. */
const mailedTypes: ReadonlySet<EventType> = new Set(['webhook.disabled', 'domain.certificate_expiring'])

export interface NewEvent {
  accountId: Id<'account'>
  type: EventType
  by: EventActor
  at: number
  projectId?: Id<'project'>
  data?: Record<string, unknown>
}

/** Records an event in the transaction that causes it. */
export async function recordEvent(tx: Tx, event: NewEvent): Promise<void> {
  noteAccountChange(tx, event.accountId)
  const id = newId('event', event.at)
  await insertEvent(tx, {
    id,
    account_id: event.accountId,
    type: event.type,
    actor_kind: event.by.kind,
    actor_id: event.by.id,
    actor_name: event.by.name,
    project_id: event.projectId ?? null,
    data: JSON.stringify(event.data ?? {}),
    at: event.at,
  })
  await insertIntoOutbox(tx, event.accountId, id)
  if (mailedTypes.has(event.type))
    await insertNotices(tx, { accountId: event.accountId, eventId: id, at: event.at })
}

import type { EventType } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../database/database.ts'
import { newId } from '../kernel/ids.ts'
import { insertEvent } from './store.ts'

const changedIn = new WeakMap<Tx, Set<Id<'account'>>>()

/**
 * Notes that a transaction changes something that people of the account may be looking at. However often it does,
 * the change feed tells it once, when the transaction commits.
 */
export function noteAccountChange(tx: Tx, accountId: Id<'account'>): void {
  const noted = changedIn.get(tx)
  if (noted === undefined) changedIn.set(tx, new Set([accountId]))
  else noted.add(accountId)
}

export function accountsChangedIn(tx: Tx): Iterable<Id<'account'>> {
  return changedIn.get(tx) ?? []
}

/** Who did it, as the activity shows it later, when the key or the person may be gone. */
export interface EventActor {
  kind: 'person' | 'key' | 'operator' | 'system'
  id: string | null
  name: string
}

/** What happens by itself. */
export const system: EventActor = { kind: 'system', id: null, name: 'Masthead' }

export interface NewEvent {
  accountId: Id<'account'>
  type: EventType
  by: EventActor
  at: number
  projectId?: Id<'project'>
  data?: Record<string, unknown>
}

/** Records what happened, in the transaction in which it happens. */
export async function recordEvent(tx: Tx, event: NewEvent): Promise<void> {
  noteAccountChange(tx, event.accountId)
  await insertEvent(tx, {
    id: newId('event', event.at),
    account_id: event.accountId,
    type: event.type,
    actor_kind: event.by.kind,
    actor_id: event.by.id,
    actor_name: event.by.name,
    project_id: event.projectId ?? null,
    data: JSON.stringify(event.data ?? {}),
    at: event.at,
  })
}

import type { EventType } from '@masthead/contract/events.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { membershipsOf, type PersonRow } from './store.ts'

/** Records what concerns a person in every account that they belong to. */
export async function recordPersonEvent(
  tx: Tx,
  person: Pick<PersonRow, 'id' | 'email'>,
  event: { type: EventType; by: EventActor; at: number; data?: Record<string, unknown> },
): Promise<void> {
  for (const { id } of await membershipsOf(tx, person.id)) {
    const data = { personId: person.id, email: person.email, ...event.data }
    await recordEvent(tx, { ...event, accountId: id, data })
  }
}

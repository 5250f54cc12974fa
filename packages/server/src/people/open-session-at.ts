import type { Id } from '@masthead/contract/ids.ts'
import type { Tx } from '../database/database.ts'
import { type Place, rememberPlace } from './known-places.ts'
import { type OpenedSession, openSession } from './session.ts'
import type { PersonRow } from './store.ts'

/** Begins a session at a place that is known from now on. */
export async function openSessionAt(
  tx: Tx,
  input: { person: PersonRow; accountId: Id<'account'> | null; place: Place; at: number },
): Promise<OpenedSession & { deviceToken: string }> {
  const { person, accountId, place, at } = input
  const opened = await openSession(tx, { personId: person.id, accountId, at })
  return { ...opened, deviceToken: await rememberPlace(tx, person, place, at) }
}

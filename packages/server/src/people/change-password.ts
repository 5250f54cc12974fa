import type { PersonActor } from '../accounts/actor.ts'
import type { Context } from '../database/context.ts'
import { confirmPassword } from './confirm-password.ts'
import { hashNewPassword } from './password-rules.ts'
import { personAsActor } from './person.ts'
import { personNamed } from './person-details.ts'
import { recordPersonEvent } from './record-person-event.ts'
import { deleteResetOf } from './reset-store.ts'
import { deleteOtherSessions } from './session-store.ts'
import { updatePerson } from './store.ts'

/** Sets a new password and ends every other session: whoever knew the old one is out. */
export async function changePassword(
  context: Context,
  actor: PersonActor,
  input: { current: string; new: string },
): Promise<{ sessionsEnded: number }> {
  const { database, now } = context
  const person = await personNamed(database.read, actor.person.id)
  await confirmPassword(context, person, input.current)
  const password_hash = await hashNewPassword(input.new, [person.name, person.email], 'new')
  return database.write(async (tx) => {
    await updatePerson(tx, person.id, { password_hash })
    await deleteResetOf(tx, person.id)
    const sessionsEnded = await deleteOtherSessions(tx, person.id, actor.session.id)
    const event = { type: 'member.password_changed', by: personAsActor(person), at: now() } as const
    await recordPersonEvent(tx, person, event)
    return { sessionsEnded }
  })
}

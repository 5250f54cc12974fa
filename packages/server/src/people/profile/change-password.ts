import type { PersonActor } from '../../accounts/actor.ts'
import type { Context, KeepResult } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { deleteResetOf } from '../link-store.ts'
import { passwordMatches } from '../password.ts'
import { hashNewPassword } from '../password-rules.ts'
import { personAsActor } from '../person.ts'
import { recordPersonEvent } from '../person-events.ts'
import { isPasswordCurrent, readPerson } from '../read.ts'
import { deleteOtherSessions } from '../session-store.ts'
import { countAttempt, forgetAttempts } from '../sign-in/attempts.ts'
import { type PersonRow, updatePerson } from '../store.ts'

/** An open session alone must not be enough to take over the person, nor allow unlimited guesses. */
export async function confirmPassword(context: Context, person: PersonRow, current: string): Promise<void> {
  const subject = { kind: 'person', value: person.id } as const
  await countAttempt(context, [subject])
  if (!(await passwordMatches(current, person.password_hash))) {
    throw wrongPassword()
  }
  await forgetAttempts(context, { undo: [], all: [subject] })
}

/** Also ends every other session, in case somebody else knew the old password. */
export async function changePassword(
  context: Context,
  actor: PersonActor,
  input: { current: string; new: string },
  keep: KeepResult<{ sessionsEnded: number }>,
): Promise<{ sessionsEnded: number }> {
  const { database, now } = context
  const person = await readPerson(database.read, actor.person.id)
  await confirmPassword(context, person, input.current)
  const password_hash = await hashNewPassword(input.new, [person.name, person.email], 'new')
  return database.write(async (tx) => {
    if (!(await isPasswordCurrent(database, tx, person))) throw wrongPassword()
    await updatePerson(tx, person.id, { password_hash })
    await deleteResetOf(tx, person.id)
    const sessionsEnded = await deleteOtherSessions(tx, person.id, actor.session.id)
    const event = { type: 'member.password_changed', by: personAsActor(person), at: now() } as const
    await recordPersonEvent(tx, person, event)
    await keep(tx, { sessionsEnded })
    return { sessionsEnded }
  })
}

export function wrongPassword(): Problem {
  return new Problem('wrong_password', 'Wrong current password.', {
    extra: { errors: [{ path: 'current', message: 'is not your current password' }] },
  })
}

import type { PersonActor } from '../../accounts/actor.ts'
import { type Context, lock } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { emailLock } from '../create-person.ts'
import { deleteResetOf } from '../link-store.ts'
import { personAsActor } from '../person.ts'
import { recordPersonEvent } from '../person-events.ts'
import { isPasswordCurrent, readPerson } from '../read.ts'
import { findPersonByEmail, updatePerson } from '../store.ts'
import { confirmPassword, wrongPassword } from './change-password.ts'

export interface PersonChange {
  name?: string | undefined
  email?: string | undefined
  current?: string | undefined
}

/** People sign in with their email address, so changing it takes the password. */
export async function changePerson(
  context: Context,
  { person: { id } }: Pick<PersonActor, 'person'>,
  { name, email, current }: PersonChange,
): Promise<void> {
  const { database, now } = context
  const person = await readPerson(database.read, id)
  const changesEmail = email !== undefined && email !== person.email
  if (changesEmail) {
    if (current === undefined) throw passwordRequired()
    await confirmPassword(context, person, current)
  }
  await database.write(async (tx) => {
    if (changesEmail) {
      if (!(await isPasswordCurrent(database, tx, person))) throw wrongPassword()
      await lock(database, tx, emailLock(email))
      if ((await findPersonByEmail(tx, email)) !== undefined) throw emailTaken(email)
      await deleteResetOf(tx, id)
    }
    const change = { ...(name !== undefined && { name }), ...(changesEmail && { email }) }
    if (Object.keys(change).length === 0) return
    await updatePerson(tx, id, change)
    const by = personAsActor({ id, name: name ?? person.name })
    await recordPersonEvent(tx, person, { type: 'member.changed', by, at: now(), data: { change } })
  })
}

function passwordRequired(): Problem {
  return new Problem('invalid_input', 'Enter your current password to change your email address.', {
    extra: { errors: [{ path: 'current', message: 'is required to change the email address' }] },
  })
}

function emailTaken(email: string): Problem {
  return new Problem('email_taken', `${email} belongs to another person on this server.`, {
    extra: { errors: [{ path: 'email', message: 'belongs to another person on this server' }] },
  })
}

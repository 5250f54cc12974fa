import type { Context } from '../database/context.ts'
import { Problem } from '../problem.ts'
import { countAttempt, forgetAttempts } from './attempts.ts'
import { passwordMatches } from './password.ts'
import type { PersonRow } from './store.ts'

/** Whoever has only found an open session must not be able to take the person over, nor guess for long. */
export async function confirmPassword(context: Context, person: PersonRow, current: string): Promise<void> {
  const subject = { kind: 'person', value: person.id } as const
  await countAttempt(context, [subject])
  if (!(await passwordMatches(current, person.password_hash))) {
    throw new Problem('wrong_password', 'That is not your current password.', {
      extra: { errors: [{ path: 'current', message: 'is not your current password' }] },
    })
  }
  await forgetAttempts(context, { one: null, all: subject })
}

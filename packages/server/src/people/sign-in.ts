import type { Context } from '../database/context.ts'
import { Problem } from '../problem.ts'
import { countAttempt, forgetAttempt } from './attempts.ts'
import { networkOf } from './network.ts'
import { compareWithNothing, passwordMatches } from './password.ts'
import { type OpenedSession, openSession } from './session.ts'
import { findPersonByEmail, membershipsOf } from './store.ts'

export interface SignInInput {
  email: string
  password: string
  address: string
}

export async function signIn(context: Context, input: SignInInput): Promise<OpenedSession> {
  const { database, now } = context
  const byEmail = { kind: 'email', value: input.email } as const
  const byAddress = { kind: 'address', value: networkOf(input.address) } as const
  // Counted before the slow comparison, so that many attempts at once are not all free.
  await countAttempt(context, [byAddress, byEmail])

  const person = await findPersonByEmail(database.read, input.email)
  const right =
    person === undefined
      ? await compareWithNothing(input.password)
      : await passwordMatches(input.password, person.password_hash)
  if (person === undefined || !right) {
    throw new Problem('wrong_credentials', 'That email address and password do not go together.')
  }
  await forgetAttempt(context, { of: byAddress, all: byEmail })
  const [first] = await membershipsOf(database.read, person.id)
  const accountId = first?.id ?? null
  return database.write((tx) => openSession(tx, { personId: person.id, accountId, at: now() }))
}

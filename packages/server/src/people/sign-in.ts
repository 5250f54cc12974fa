import type { Context } from '../database/context.ts'
import { Problem } from '../problem.ts'
import { type AttemptSubject, countAttempt, forgetAttempts } from './attempts.ts'
import { knownPlace, type Place } from './known-places.ts'
import { openSessionAt } from './open-session-at.ts'
import { compareWithNothing, passwordMatches } from './password.ts'
import type { OpenedSession } from './session.ts'
import { isTold, recordFailures, recordSignIn } from './sign-in-events.ts'
import { findPersonByEmail, membershipsOf } from './store.ts'

export interface SignInInput {
  email: string
  password: string
  place: Place
}

/**
 * Attempts are counted by address and by person, except where the person signed in before: such a place has an
 * allowance of its own, so that strangers cannot use it up.
 */
export async function signIn(context: Context, input: SignInInput): Promise<OpenedSession> {
  const { database, now } = context
  const { email, password, place } = input
  const { network } = place
  const person = await findPersonByEmail(database.read, email)
  const known = await knownPlace(database.read, person, place)
  const byAddress: AttemptSubject = { kind: 'address', value: network }
  const byPerson: AttemptSubject =
    known === null ? { kind: 'email', value: email } : { kind: 'place', value: known }
  const subjects = known === null ? [byAddress, byPerson] : [byPerson]
  // Counted before the slow comparison, so that many attempts at once are not all free.
  const attempts = await countAttempt(context, subjects)

  const right =
    person === undefined
      ? await compareWithNothing(password)
      : await passwordMatches(password, person.password_hash)
  if (person === undefined || !right) {
    const failures = attempts.at(-1) ?? 0
    if (person !== undefined && isTold(failures)) {
      await database.write((tx) => recordFailures(tx, { person, network, at: now() }, failures))
    }
    throw new Problem('wrong_credentials', 'That email address and password do not go together.')
  }
  await forgetAttempts(context, { one: known === null ? byAddress : null, all: byPerson })
  const [first] = await membershipsOf(database.read, person.id)
  return database.write(async (tx) => {
    const at = now()
    await recordSignIn(tx, { person, network, at }, known !== null)
    return openSessionAt(tx, { person, accountId: first?.id ?? null, place, at })
  })
}

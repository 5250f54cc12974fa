import type { Context } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashDummyPassword, passwordMatches } from '../password.ts'
import { isReported, recordFailures, recordSignIn } from '../person-events.ts'
import { isPasswordCurrent } from '../read.ts'
import { findPersonByEmail, membershipsOf } from '../store.ts'
import { type AttemptSubject, countAttempt, forgetAttempts } from './attempts.ts'
import { type Device, findKnownDevice, openSessionOnDevice } from './known-devices.ts'
import type { OpenedSession } from './session.ts'

export interface SignInInput {
  email: string
  password: string
  device: Device
}

/**
 * Counts attempts by address and by email. A device where the person signed in before is counted separately, so that
 * strangers cannot use up its attempts.
 */
export async function signIn(context: Context, input: SignInInput): Promise<OpenedSession> {
  const { database, now } = context
  const { email, password, device } = input
  const { network } = device
  const person = await findPersonByEmail(database.read, email)
  const known = await findKnownDevice(database.read, person, device)
  const byAddress: AttemptSubject = { kind: 'address', value: network }
  const byPerson: AttemptSubject =
    known === null ? { kind: 'email', value: email } : { kind: 'place', value: known }
  const subjects = known === null ? [byAddress, byPerson] : [byPerson]
  // Counted before the slow comparison, so that simultaneous attempts all count.
  const attempts = await countAttempt(context, subjects)

  const isRight =
    person === undefined
      ? await hashDummyPassword(password)
      : await passwordMatches(password, person.password_hash)
  if (person === undefined || !isRight) {
    const failures = attempts.at(-1) ?? 0
    if (person !== undefined && isReported(failures)) {
      await database.write((tx) => recordFailures(tx, { person, network, at: now() }, failures))
    }
    throw wrongCredentials()
  }
  await forgetAttempts(context, { undo: known === null ? [byAddress] : [], all: [byPerson] })
  const [first] = await membershipsOf(database.read, person.id)
  return database.write(async (tx) => {
    if (!(await isPasswordCurrent(database, tx, person))) throw wrongCredentials()
    const at = now()
    await recordSignIn(tx, { person, network, at }, known !== null)
    return openSessionOnDevice(tx, { person, accountId: first?.id ?? null, device, at })
  })
}

function wrongCredentials(): Problem {
  return new Problem('wrong_credentials', 'Wrong email or password.')
}

import type { PasswordResetPreview } from '@masthead/contract/schemas/people.ts'
import { isoTime } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { Reader } from '../database/database.ts'
import { Problem } from '../problem.ts'
import { hashSecret } from '../secrets.ts'
import { isOnlyIn } from './create-password-reset.ts'
import type { Place } from './known-places.ts'
import { openSessionAt } from './open-session-at.ts'
import { hashNewPassword } from './password-rules.ts'
import { personAsActor } from './person.ts'
import { recordPersonEvent } from './record-person-event.ts'
import { findReset, type ResetRow, takeReset } from './reset-store.ts'
import type { OpenedSession } from './session.ts'
import { deleteOtherSessions } from './session-store.ts'
import { findPerson, membershipsOf, type PersonRow, updatePerson } from './store.ts'

export async function lookUpPasswordReset(
  { database, now }: Context,
  token: string,
): Promise<PasswordResetPreview> {
  const { person, reset } = await openReset(database.read, token, now())
  return { name: person.name, email: person.email, expiresAt: isoTime(reset.expires_at) }
}

/** Sets the password, ends every session there was, and signs in. The link is spent. */
export async function usePasswordReset(
  { database, now }: Context,
  { token, password, place }: { token: string; password: string; place: Place },
): Promise<OpenedSession & { deviceToken: string }> {
  // Looked at first: a password takes long to hash, and strangers must not have it done for nothing.
  const { person: known } = await openReset(database.read, token, now())
  const password_hash = await hashNewPassword(password, [known.name, known.email])
  return database.write(async (tx) => {
    const at = now()
    const { person } = await openReset(tx, token, at)
    if (!(await takeReset(tx, hashSecret(token)))) throw spent()
    await updatePerson(tx, person.id, { password_hash })
    await deleteOtherSessions(tx, person.id, null)
    await recordPersonEvent(tx, person, { type: 'member.password_reset', by: personAsActor(person), at })
    const [first] = await membershipsOf(tx, person.id)
    const changed = { ...person, password_hash }
    return openSessionAt(tx, { person: changed, accountId: first?.id ?? null, place, at })
  })
}

/** A link of an owner is void once the person has more than the owner's account. */
async function openReset(
  db: Reader,
  token: string,
  now: number,
): Promise<{ person: PersonRow; reset: ResetRow }> {
  const reset = await findReset(db, hashSecret(token), now)
  const person = reset && (await findPerson(db, reset.person_id))
  if (reset === undefined || person === undefined) throw spent()
  const { account_id } = reset
  if (account_id !== null && !isOnlyIn(person, await membershipsOf(db, person.id), account_id)) throw spent()
  return { person, reset }
}

function spent(): Problem {
  return new Problem('link_invalid', 'This link was used, replaced by a newer one, or has expired.')
}

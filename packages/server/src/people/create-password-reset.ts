import type { Id } from '@masthead/contract/ids.ts'
import { day } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { EventActor } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import { hashSecret, newToken } from '../secrets.ts'
import { personNamed } from './person-details.ts'
import { recordPersonEvent } from './record-person-event.ts'
import { replaceReset } from './reset-store.ts'
import { findMember, membershipsOf, type PersonRow } from './store.ts'

const lifetime = day

export interface ResetInput {
  personId: Id<'person'>
  /** The account whose owner asks; null: the operator does. */
  accountId: Id<'account'> | null
  by: EventActor
}

export interface CreatedReset {
  email: string
  token: string
  expiresAt: number
}

/** Creates a link by which a person sets a new password. The token goes into the link and is not kept. */
export function createPasswordReset(
  { database, now }: Context,
  { personId, accountId, by }: ResetInput,
): Promise<CreatedReset> {
  return database.write(async (tx) => {
    const at = now()
    if (accountId !== null && (await findMember(tx, accountId, personId)) === undefined) {
      throw new Problem('not_found', `There is no member ${personId}.`)
    }
    const person = await personNamed(tx, personId)
    // One's own password is changed with the current one: an open session alone must not be enough.
    if (by.kind === 'person' && by.id === personId) {
      throw new Problem('reset_not_allowed', 'Change your own password on your profile.')
    }
    if (accountId !== null) refuseWhoIsElsewhere(person, await membershipsOf(tx, personId), accountId)
    const token = newToken()
    const expiresAt = at + lifetime
    const row = { person_id: personId, token_hash: hashSecret(token), account_id: accountId }
    await replaceReset(tx, { ...row, created_at: at, expires_at: expiresAt })
    await recordPersonEvent(tx, person, { type: 'member.reset_link_created', by, at })
    return { email: person.email, token, expiresAt }
  })
}

/**
 * An owner gets no further than their own account by a link: whoever belongs to other accounts too, or runs the
 * server, is for the operator alone.
 */
export function isOnlyIn(
  person: Pick<PersonRow, 'operator'>,
  memberships: readonly { id: Id<'account'> }[],
  accountId: Id<'account'>,
): boolean {
  return person.operator === 0 && memberships.length === 1 && memberships[0]?.id === accountId
}

function refuseWhoIsElsewhere(
  person: PersonRow,
  memberships: readonly { id: Id<'account'> }[],
  accountId: Id<'account'>,
): void {
  if (isOnlyIn(person, memberships, accountId)) return
  const detail = `${person.name} has access beyond this account, so only the operator can reset this password.`
  throw new Problem('reset_not_allowed', detail)
}

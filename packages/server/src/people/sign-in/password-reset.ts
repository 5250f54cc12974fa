import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { PasswordResetPreview } from '@masthead/contract/schemas/people.ts'
import {
  type AccountActor,
  eventActor,
  type OperatorActor,
  operatorAsActor,
  type PersonActor,
} from '../../accounts/actor.ts'
import { confirmAccess } from '../../accounts/confirm-access.ts'
import type { Context, KeepResult, Reader } from '../../database/database.ts'
import { day, isoTime } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret, newToken } from '../../kernel/tokens.ts'
import { confirmOperator } from '../confirm-operator.ts'
import { consumeReset, findReset, type ResetRow, replaceReset } from '../link-store.ts'
import { hashNewPassword } from '../password-rules.ts'
import { personAsActor } from '../person.ts'
import { recordPersonEvent } from '../person-events.ts'
import { readPerson } from '../read.ts'
import { deleteOtherSessions } from '../session-store.ts'
import { findMember, findPerson, lockPerson, membershipsOf, type PersonRow, updatePerson } from '../store.ts'
import { type Device, openSessionOnDevice } from './known-devices.ts'
import type { OpenedSession } from './session.ts'

const lifetime = day

export interface ResetInput {
  personId: Id<'person'>
  /** Who creates the link, for a member of the account they own or for anybody. */
  by: { owner: AccountActor } | { operator: OperatorActor | PersonActor }
}

export interface CreatedReset {
  email: string
  token: string
  expiresAt: number
}

/** The token goes into the link and is not stored. */
export function createPasswordReset(
  { database, now }: Context,
  { personId, by: creator }: ResetInput,
): Promise<CreatedReset> {
  const isOwner = 'owner' in creator
  const accountId = isOwner ? creator.owner.account.id : null
  const by = isOwner ? eventActor(creator.owner) : operatorAsActor(creator.operator)
  return database.write(async (tx) => {
    const at = now()
    // Removing an owner ends the links of the account, and must see this one. The same goes for operators.
    if (isOwner) await confirmAccess(database, tx, creator.owner, ['admin'])
    else await confirmOperator(database, tx, creator.operator)
    if (accountId !== null && (await findMember(tx, accountId, personId)) === undefined) {
      throw new Problem('not_found', `There is no member ${personId}.`)
    }
    const person = await readPerson(tx, personId)
    // Changing your own password takes the current one: an open session alone must not be enough.
    if (by.id === personId) {
      throw new Problem('reset_not_allowed', 'Change your own password on your profile.')
    }
    if (accountId !== null) refuseOtherAccounts(person, await membershipsOf(tx, personId), accountId)
    const token = newToken()
    const expiresAt = at + lifetime
    const row = { person_id: personId, token_hash: hashSecret(token), account_id: accountId }
    await replaceReset(tx, { ...row, created_at: at, expires_at: expiresAt })
    await recordPersonEvent(tx, person, { type: 'member.reset_link_created', by, at })
    return { email: person.email, token, expiresAt }
  })
}

/**
 * An owner's link must not open more than the owner's account: for members of other accounts, and for operators, only
 * the operator can create one.
 */
function isOnlyIn(
  person: Pick<PersonRow, 'operator'>,
  memberships: readonly { id: Id<'account'> }[],
  accountId: Id<'account'>,
): boolean {
  return person.operator === 0 && memberships.length === 1 && memberships[0]?.id === accountId
}

function refuseOtherAccounts(
  person: PersonRow,
  memberships: readonly { id: Id<'account'> }[],
  accountId: Id<'account'>,
): void {
  if (isOnlyIn(person, memberships, accountId)) return
  const detail = `${person.name} has access beyond this account, so only the operator can reset this password.`
  throw new Problem('reset_not_allowed', detail)
}

export async function lookUpPasswordReset(
  { database, now }: Context,
  token: string,
): Promise<PasswordResetPreview> {
  const { person, reset } = await openReset(database.read, token, now())
  return { name: person.name, email: person.email, expiresAt: isoTime(reset.expires_at) }
}

/** Sets the password, ends all sessions and signs in. */
export async function usePasswordReset(
  { database, now }: Context,
  { token, password, device }: { token: string; password: string; device: Device },
  keep: KeepResult<OpenedSession>,
): Promise<OpenedSession> {
  // Checked before the slow hash, so that strangers cannot make us hash for nothing.
  const { person: owner } = await openReset(database.read, token, now())
  const password_hash = await hashNewPassword(password, [owner.name, owner.email])
  return database.write(async (tx) => {
    const at = now()
    // Before the link, as those do who delete it with a new password or address.
    await lockPerson(database, tx, owner.id)
    const { person } = await openReset(tx, token, at)
    if (!(await consumeReset(tx, hashSecret(token)))) throw resetUsed()
    await updatePerson(tx, person.id, { password_hash })
    await deleteOtherSessions(tx, person.id, null)
    await recordPersonEvent(tx, person, { type: 'member.password_reset', by: personAsActor(person), at })
    const [first] = await membershipsOf(tx, person.id)
    const changed = { ...person, password_hash }
    const accountId = first?.id ?? null
    const opened = await openSessionOnDevice(tx, { person: changed, accountId, device, at })
    await keep(tx, opened)
    return opened
  })
}

/** An owner's link becomes invalid when the person joins another account. */
async function openReset(
  db: Reader,
  token: string,
  now: number,
): Promise<{ person: PersonRow; reset: ResetRow }> {
  const reset = await findReset(db, hashSecret(token), now)
  const person = reset && (await findPerson(db, reset.person_id))
  if (reset === undefined || person === undefined) throw resetUsed()
  const { account_id } = reset
  if (account_id !== null && !isOnlyIn(person, await membershipsOf(db, person.id), account_id))
    throw resetUsed()
  return { person, reset }
}

function resetUsed(): Problem {
  return new Problem('link_invalid', 'This link was used, replaced or revoked, or has expired.')
}

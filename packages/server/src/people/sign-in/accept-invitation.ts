import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import type { PersonActor } from '../../accounts/actor.ts'
import { lockMembers } from '../../accounts/confirm-access.ts'
import type { Context, KeepResult, Reader, Tx } from '../../database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret } from '../../kernel/tokens.ts'
import { createPerson } from '../create-person.ts'
import { deleteInvitation, findInvitation } from '../link-store.ts'
import { hashNewPassword } from '../password-rules.ts'
import { personAsActor } from '../person.ts'
import { hasSession } from '../session-store.ts'
import { findMember, findPersonByEmail, insertMember, lockPerson, type PersonRow, setRole } from '../store.ts'
import { type Device, openSessionOnDevice } from './known-devices.ts'
import type { OpenedSession } from './session.ts'

export async function lookUpInvitation(
  { database, now }: Context,
  token: string,
): Promise<{ accountName: string; email: string; role: Role; personExists: boolean }> {
  const invitation = await openInvitation(database.read, token, now())
  const person = await findPersonByEmail(database.read, invitation.email)
  return {
    accountName: invitation.account_name,
    email: invitation.email,
    role: invitation.role,
    personExists: person !== undefined,
  }
}

export interface AcceptInput {
  token: string
  name?: string | undefined
  password?: string | undefined
  /** The platform's domain, which must not be the password. */
  serverName: string
  device: Device
  /** The signed-in person, if any. */
  actor: PersonActor | null
}

/**
 * Joins the account, or becomes an owner of it. A new person sends a name and a password; an existing one must be signed
 * in.
 */
export async function acceptInvitation(
  { database, now }: Context,
  input: AcceptInput,
  keep: KeepResult<OpenedSession>,
): Promise<OpenedSession> {
  // Checked before the slow hash, so that a made-up token does not cost us one.
  const { account_id: accountId, ...offered } = await openInvitation(database.read, input.token, now())
  const passwordHash = await newHash(input, offered)
  return database.write(async (tx) => {
    const at = now()
    // Before the invitation, as those do who remove its inviter.
    await lockMembers(database, tx, accountId)
    const invitation = await openInvitation(tx, input.token, at)
    const existing = await findPersonByEmail(tx, invitation.email)
    if (existing !== undefined && !(await isSignedIn(database, tx, input.actor, existing.id))) {
      throw new Problem('email_taken', `Sign in as ${invitation.email} to accept this invitation.`)
    }
    const person =
      existing ??
      (await createPerson(database, tx, {
        ...newPersonFrom(input, passwordHash),
        email: invitation.email,
        at,
      }))
    if ((await deleteInvitation(tx, accountId, invitation.id)) === undefined) throw invitationUsed()
    await join(tx, person, { accountId, role: invitation.role, at })
    const opened = await openSessionOnDevice(tx, { person, accountId, device: input.device, at })
    await keep(tx, opened)
    return opened
  })
}

/** A member keeps their role, unless the operator made them an owner. */
async function join(
  tx: Tx,
  person: PersonRow,
  { accountId, role, at }: { accountId: Id<'account'>; role: Role; at: number },
): Promise<void> {
  const member = await findMember(tx, accountId, person.id)
  const event = { accountId, by: personAsActor(person), at, data: { email: person.email, role } }
  if (member === undefined) {
    await insertMember(tx, { account_id: accountId, person_id: person.id, role, joined_at: at })
    await recordEvent(tx, { ...event, type: 'member.joined' })
  } else if (role === 'owner' && member.role !== 'owner') {
    await setRole(tx, accountId, person.id, role)
    await recordEvent(tx, { ...event, type: 'member.role_changed' })
  }
}

/** Looks again: the session may have ended with a new password, and then it must not open another one. */
async function isSignedIn(
  database: Context['database'],
  tx: Tx,
  actor: PersonActor | null,
  personId: Id<'person'>,
): Promise<boolean> {
  if (actor?.person.id !== personId) return false
  await lockPerson(database, tx, personId)
  return hasSession(tx, personId, actor.session.id)
}

async function newHash(
  input: AcceptInput,
  { email, account_name }: { email: string; account_name: string },
): Promise<string | undefined> {
  if (input.password === undefined) return undefined
  return hashNewPassword(input.password, [input.name ?? '', email, account_name, input.serverName])
}

function newPersonFrom(input: AcceptInput, passwordHash: string | undefined) {
  const errors = []
  if (input.name === undefined) errors.push({ path: 'name', message: 'is required to create your account' })
  if (passwordHash === undefined)
    errors.push({ path: 'password', message: 'is required to create your account' })
  if (input.name === undefined || passwordHash === undefined) {
    throw new Problem('invalid_input', 'Send a name and a password to create your account.', {
      extra: { errors },
    })
  }
  return { name: input.name, passwordHash, operator: false }
}

async function openInvitation(db: Reader, token: string, now: number) {
  const invitation = await findInvitation(db, hashSecret(token), now)
  if (invitation === undefined) throw invitationUsed()
  return invitation
}

function invitationUsed(): Problem {
  return new Problem('link_invalid', 'This invitation was used or revoked, or has expired.')
}

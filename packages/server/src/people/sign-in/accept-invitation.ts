import type { Role } from '@masthead/contract/scopes.ts'
import type { PersonActor } from '../../accounts/actor.ts'
import { type Context, lock, type Reader } from '../../database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret } from '../../kernel/tokens.ts'
import { createPerson } from '../create-person.ts'
import { deleteInvitation, findInvitation } from '../link-store.ts'
import { membersLock } from '../members.ts'
import { hashNewPassword } from '../password-rules.ts'
import { personAsActor } from '../person.ts'
import { findMember, findPersonByEmail, insertMember } from '../store.ts'
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
  /** The platform's domain: no password either. */
  serverName: string
  place: Device
  /** Whoever is signed in. */
  actor: PersonActor | null
}

/** Joins the account: somebody new with a name and a password, somebody known by being signed in. */
export async function acceptInvitation(
  { database, now }: Context,
  input: AcceptInput,
): Promise<OpenedSession> {
  const passwordHash = await newHash(database.read, input, now())
  return database.write(async (tx) => {
    const at = now()
    const invitation = await openInvitation(tx, input.token, at)
    const accountId = invitation.account_id
    const known = await findPersonByEmail(tx, invitation.email)
    if (known !== undefined && input.actor?.person.id !== known.id) {
      throw new Problem('email_taken', `Sign in as ${invitation.email} to accept this invitation.`)
    }
    const person =
      known ??
      (await createPerson(database, tx, { ...newcomer(input, passwordHash), email: invitation.email, at }))
    if ((await deleteInvitation(tx, accountId, invitation.id)) === undefined) throw invitationUsed()
    await lock(database, tx, membersLock(accountId))
    if ((await findMember(tx, accountId, person.id)) === undefined) {
      const role = invitation.role
      await insertMember(tx, { account_id: accountId, person_id: person.id, role, joined_at: at })
      const by = personAsActor(person)
      await recordEvent(tx, { accountId, type: 'member.joined', by, at, data: { email: person.email, role } })
    }
    return openSessionOnDevice(tx, { person, accountId, place: input.place, at })
  })
}

/** Looks at the invitation first: a stranger's made-up one is not worth the time that a hash takes. */
async function newHash(db: Reader, input: AcceptInput, at: number): Promise<string | undefined> {
  const { email, account_name } = await openInvitation(db, input.token, at)
  if (input.password === undefined) return undefined
  return hashNewPassword(input.password, [input.name ?? '', email, account_name, input.serverName])
}

function newcomer(input: AcceptInput, passwordHash: string | undefined) {
  const errors = []
  if (input.name === undefined) errors.push({ path: 'name', message: 'is needed to make your account' })
  if (passwordHash === undefined) errors.push({ path: 'password', message: 'is needed to make your account' })
  if (input.name === undefined || passwordHash === undefined) {
    throw new Problem('invalid_input', 'A new person needs a name and a password.', { extra: { errors } })
  }
  return { name: input.name, passwordHash, operator: false }
}

async function openInvitation(db: Reader, token: string, now: number) {
  const invitation = await findInvitation(db, hashSecret(token), now)
  if (invitation === undefined) throw invitationUsed()
  return invitation
}

function invitationUsed(): Problem {
  return new Problem('link_invalid', 'This invitation was used, taken back, or has expired.')
}

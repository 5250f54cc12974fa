import type { Id } from '@masthead/contract/ids.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import type { Invitation } from '@masthead/contract/schemas/people.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { day } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { newId } from '../ids.ts'
import { Problem } from '../problem.ts'
import { hashSecret, newToken } from '../secrets.ts'
import { deleteInvitation, insertInvitation, invitationsBefore } from './link-store.ts'
import { toInvitation } from './person.ts'
import { findMember, findPersonByEmail } from './store.ts'

const lifetime = 7 * day

export interface InviteInput {
  accountId: Id<'account'>
  email: string
  role: Role
  by: EventActor
}

export interface NewInvitation {
  invitation: Invitation
  token: string
}

/** Invites a person. The token goes into the link and is not kept. */
export function invite({ database, now }: Context, input: InviteInput): Promise<NewInvitation> {
  return database.write((tx) => inviteIn(tx, { ...input, at: now() }))
}

/** The same as a part of something larger. */
export async function inviteIn(
  tx: Tx,
  { accountId, email, role, by, at }: InviteInput & { at: number },
): Promise<NewInvitation> {
  await refuseMember(tx, accountId, email)
  const token = newToken()
  const row = {
    id: newId('invitation', at),
    account_id: accountId,
    email,
    role,
    token_hash: hashSecret(token),
    invited_by: by.name,
    inviter_id: null,
    created_at: at,
    expires_at: at + lifetime,
  }
  await insertInvitation(tx, row)
  await recordEvent(tx, { accountId, type: 'invitation.created', by, at, data: { email, role } })
  return { invitation: toInvitation(row), token }
}

async function refuseMember(tx: Tx, accountId: Id<'account'>, email: string): Promise<void> {
  const person = await findPersonByEmail(tx, email)
  const member = person && (await findMember(tx, accountId, person.id))
  if (member === undefined) return
  throw new Problem('already_member', `${email} belongs to this account already, as ${member.role}.`)
}

export async function listInvitations(
  { database, now }: Context,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<Invitation>> {
  const rows = await invitationsBefore(database.read, accountId, now(), readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toInvitation)
}

export async function revokeInvitation(
  { database, now }: Context,
  input: { accountId: Id<'account'>; invitationId: Id<'invitation'>; by: EventActor },
): Promise<void> {
  await database.write(async (tx) => {
    const { accountId, by } = input
    const row = await deleteInvitation(tx, accountId, input.invitationId)
    if (row === undefined) throw new Problem('not_found', `There is no invitation ${input.invitationId}.`)
    await recordEvent(tx, {
      accountId,
      type: 'invitation.revoked',
      by,
      at: now(),
      data: { email: row.email },
    })
  })
}

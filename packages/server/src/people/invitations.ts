import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Invitation } from '@masthead/contract/schemas/people.ts'
import { type Role, roles, type Scope } from '@masthead/contract/scopes.ts'
import {
  type AccountActor,
  eventActor,
  type OperatorActor,
  operatorAsActor,
  type PersonActor,
  refuseExpiringKey,
} from '../accounts/actor.ts'
import { confirmAccess, lockMembers } from '../accounts/confirm-access.ts'
import { requireAccount } from '../accounts/read.ts'
import type { Context, Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { day } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { hashSecret, newToken } from '../kernel/tokens.ts'
import { confirmOperator } from './confirm-operator.ts'
import {
  deleteInvitation,
  insertInvitation,
  invitationsBefore,
  invitationsOf,
  invitationsOfOperator,
  invitationsTo,
} from './link-store.ts'
import { toInvitation } from './person.ts'
import { findMember, findPersonByEmail, type MemberRow } from './store.ts'

const lifetime = 7 * day

export interface InviteInput {
  accountId: Id<'account'>
  email: string
  role: Role
  by: EventActor
  /** The person responsible for it: it ends with their membership, or role as operator. */
  inviterId: Id<'person'> | null
}

/** Nobody can give scopes that they don't have, or that outlive their key. `current` is the role the person has. */
export function refuseWiderRole(role: Role, actor: AccountActor, current: Role | null): void {
  const before: readonly Scope[] = current === null ? [] : roles[current].scopes
  const given = roles[role].scopes.filter((scope) => !before.includes(scope))
  if (given.length === 0) return
  refuseExpiringKey(actor, 'give somebody access')
  const missing = given.filter((scope) => !actor.scopes.includes(scope))
  if (missing.length === 0) return
  const which = missing.join(', ')
  throw new Problem(
    'forbidden',
    `You don't have ${which} yourself, so you can't give somebody the role ${role}.`,
  )
}

export interface NewInvitation {
  invitation: Invitation
  token: string
}

export function invite(
  { database, now }: Context,
  actor: AccountActor,
  { email, role }: Pick<InviteInput, 'email' | 'role'>,
): Promise<NewInvitation> {
  refuseWiderRole(role, actor, null)
  return database.write(async (tx) => {
    const inviterId = await confirmAccess(database, tx, actor, ['admin', ...roles[role].scopes])
    const who = { accountId: actor.account.id, by: eventActor(actor), inviterId }
    const member = await findMemberByEmail(tx, who.accountId, email)
    if (member !== undefined) throw alreadyMember(member)
    return inviteIn(tx, { email, role, ...who, at: now() })
  })
}

type OwnerToInvite = Pick<InviteInput, 'accountId' | 'email'>

/** For the operator: an account may have lost its only owner, or the link for its first one. Another member can be one. */
export function inviteOwner(
  { database, now }: Context,
  actor: OperatorActor | PersonActor,
  to: OwnerToInvite,
): Promise<NewInvitation> {
  return database.write(async (tx) => {
    // Or it could be deleted meanwhile, and its invitations before this one.
    await lockMembers(database, tx, to.accountId)
    await requireAccount(tx, to.accountId)
    await confirmOperator(database, tx, actor)
    const member = await findMemberByEmail(tx, to.accountId, to.email)
    if (member?.role === 'owner') throw alreadyMember(member)
    return inviteOwnerIn(tx, actor, { ...to, at: now() })
  })
}

/** The same, inside a transaction that has confirmed the operator. */
export function inviteOwnerIn(
  tx: Tx,
  actor: OperatorActor | PersonActor,
  to: OwnerToInvite & { at: number },
): Promise<NewInvitation> {
  const inviterId = actor.kind === 'person' ? actor.person.id : null
  return inviteIn(tx, { ...to, role: 'owner', by: operatorAsActor(actor), inviterId })
}

/** The token goes into the link and is not stored. Replaces an open invitation to the same address. */
export async function inviteIn(
  tx: Tx,
  { accountId, email, role, by, inviterId, at }: InviteInput & { at: number },
): Promise<NewInvitation> {
  await endInvitationsTo(tx, { accountId, email, by, at })
  const token = newToken()
  const row = {
    id: newId('invitation', at),
    account_id: accountId,
    email,
    role,
    token_hash: hashSecret(token),
    invited_by: by.name,
    inviter_id: inviterId,
    created_at: at,
    expires_at: at + lifetime,
  }
  await insertInvitation(tx, row)
  await recordEvent(tx, { accountId, type: 'invitation.created', by, at, data: { email, role } })
  return { invitation: toInvitation(row), token }
}

async function findMemberByEmail(
  tx: Tx,
  accountId: Id<'account'>,
  email: string,
): Promise<MemberRow | undefined> {
  const person = await findPersonByEmail(tx, email)
  return person && findMember(tx, accountId, person.id)
}

function alreadyMember({ email, role }: MemberRow): Problem {
  return new Problem('already_member', `${email} is already a member of this account, as ${role}.`)
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

/** Or a former member could return with a link that was never used. */
export async function endInvitationsTo(
  tx: Tx,
  { by, ...to }: { accountId: Id<'account'>; email: string; by: EventActor; at: number },
): Promise<void> {
  const { accountId, email, at } = to
  for (const { id } of await invitationsTo(tx, to)) {
    await deleteInvitation(tx, accountId, id)
    await recordEvent(tx, { accountId, type: 'invitation.revoked', by, at, data: { email } })
  }
}

/** Revokes what a former operator could use to become an owner of somebody else's account. */
export async function endOwnerInvitations(
  tx: Tx,
  { inviterId, by, at }: { inviterId: Id<'person'>; by: EventActor; at: number },
): Promise<void> {
  for (const { id, account_id: accountId, email } of await invitationsOfOperator(tx, inviterId)) {
    // It may have been accepted meanwhile.
    if ((await deleteInvitation(tx, accountId, id)) === undefined) continue
    await recordEvent(tx, { accountId, type: 'invitation.revoked', by, at, data: { email } })
  }
}

/** Revokes the person's invitations to roles that they can no longer give. */
export async function endInvitations(
  tx: Tx,
  input: {
    accountId: Id<'account'>
    personId: Id<'person'>
    scopes: readonly Scope[]
    by: EventActor
    at: number
  },
): Promise<void> {
  const { accountId, personId, scopes, by, at } = input
  for (const { id, email, role } of await invitationsOf(tx, accountId, personId)) {
    if (scopes.includes('admin') && roles[role].scopes.every((scope) => scopes.includes(scope))) continue
    await deleteInvitation(tx, accountId, id)
    await recordEvent(tx, { accountId, type: 'invitation.revoked', by, at, data: { email } })
  }
}

import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Member } from '@masthead/contract/schemas/people.ts'
import { type Role, roles } from '@masthead/contract/scopes.ts'
import type { AccountActor } from '../accounts/actor.ts'
import { lockMembers } from '../accounts/confirm-access.ts'
import type { Context, Database, Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { endInvitations, endInvitationsTo, refuseWiderRole } from './invitations.ts'
import { deleteInvitations, deleteResetsOfAccount } from './link-store.ts'
import { toMember } from './person.ts'
import {
  countOwners,
  deleteMember,
  deleteMembers,
  findMember,
  type MemberRow,
  membersAfter,
  setRole,
} from './store.ts'

export async function listMembers(
  { database }: Context,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<Member>> {
  const rows = await membersAfter(database.read, accountId, readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toMember)
}

interface MemberChange {
  accountId: Id<'account'>
  personId: Id<'person'>
  by: EventActor
  at: number
  /** If false, revokes invitations to roles that the person can no longer give. */
  keepInvitations: boolean
}

/** The caller updates the member's keys in the same transaction. */
export async function changeRole(
  database: Database,
  tx: Tx,
  {
    accountId,
    personId,
    role,
    by,
    at,
    actor,
    ...rest
  }: MemberChange & {
    role: Role
    actor: AccountActor
  },
): Promise<Member> {
  const member = await memberToChange(database, tx, accountId, personId, role !== 'owner')
  refuseWiderRole(role, actor, member.role)
  await setRole(tx, accountId, personId, role)
  if (role !== 'owner') await endResetLinks(tx, accountId, member)
  // The operator may have invited them as an owner before.
  await endInvitationsTo(tx, { accountId, email: member.email, by, at })
  const data = { email: member.email, role }
  await recordEvent(tx, { accountId, type: 'member.role_changed', by, at, data })
  if (!rest.keepInvitations) {
    await endInvitations(tx, { accountId, personId, by, at, scopes: roles[role].scopes })
  }
  return toMember({ ...member, role })
}

/** The caller updates the member's keys in the same transaction. */
export async function removeMember(
  database: Database,
  tx: Tx,
  { accountId, personId, by, at, keepInvitations }: MemberChange,
): Promise<void> {
  const member = await memberToChange(database, tx, accountId, personId, true)
  const { email } = member
  await deleteMember(tx, accountId, personId)
  await recordEvent(tx, { accountId, type: 'member.removed', by, at, data: { email } })
  await endResetLinks(tx, accountId, member)
  await endInvitationsTo(tx, { accountId, email, by, at })
  if (!keepInvitations) await endInvitations(tx, { accountId, personId, by, at, scopes: [] })
}

/** The caller revokes the member's keys in the same transaction. Returns who left. */
export async function leaveAccount(
  database: Database,
  tx: Tx,
  { accountId, personId, at }: Omit<MemberChange, 'by' | 'keepInvitations'>,
): Promise<EventActor> {
  const member = await memberToChange(database, tx, accountId, personId, true)
  await deleteMember(tx, accountId, personId)
  const { email, name } = member
  const by = { kind: 'person', id: personId, name } as const
  await recordEvent(tx, { accountId, type: 'member.left', by, at, data: { email } })
  await endResetLinks(tx, accountId, member)
  await endInvitationsTo(tx, { accountId, email, by, at })
  await endInvitations(tx, { accountId, personId, by, at, scopes: [] })
  return by
}

/**
 * Anyone with a reset link can sign in as the member it is for. Who created it is not stored, so a former owner takes
 * along those of the others: they can create new ones.
 */
async function endResetLinks(tx: Tx, accountId: Id<'account'>, { role }: MemberRow): Promise<void> {
  if (role === 'owner') await deleteResetsOfAccount(tx, accountId)
}

/** Also removes invitations, so that nobody can join. */
export async function removeAllMembers(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await deleteMembers(tx, accountId)
  await deleteInvitations(tx, accountId)
}

async function memberToChange(
  database: Database,
  tx: Tx,
  accountId: Id<'account'>,
  personId: Id<'person'>,
  losesOwner: boolean,
): Promise<MemberRow> {
  // Or two owners could remove each other at the same moment.
  await lockMembers(database, tx, accountId)
  const member = await findMember(tx, accountId, personId)
  if (member === undefined) throw new Problem('not_found', `There is no member ${personId}.`)
  if (losesOwner && member.role === 'owner' && (await countOwners(tx, accountId)) === 1) {
    throw new Problem('last_owner', `${member.name} is the only owner of this account.`)
  }
  return member
}

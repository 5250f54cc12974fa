import type { Id } from '@masthead/contract/ids.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import type { Member } from '@masthead/contract/schemas/people.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import type { Context } from '../database/context.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import { deleteInvitations } from './link-store.ts'
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

interface MemberInput {
  accountId: Id<'account'>
  personId: Id<'person'>
  by: EventActor
}

export function changeRole(
  { database, now }: Context,
  { accountId, personId, role, by }: MemberInput & { role: Role },
): Promise<Member> {
  return database.write(async (tx) => {
    const member = await memberToChange(database, tx, accountId, personId, role !== 'owner')
    await setRole(tx, accountId, personId, role)
    const data = { email: member.email, role }
    await recordEvent(tx, { accountId, type: 'member.role_changed', by, at: now(), data })
    return toMember({ ...member, role })
  })
}

export async function removeMember(
  { database, now }: Context,
  { accountId, personId, by }: MemberInput,
): Promise<void> {
  await database.write(async (tx) => {
    const member = await memberToChange(database, tx, accountId, personId, true)
    await deleteMember(tx, accountId, personId)
    await recordEvent(tx, { accountId, type: 'member.removed', by, at: now(), data: { email: member.email } })
  })
}

export async function leaveAccount(
  { database, now }: Context,
  { accountId, personId }: Omit<MemberInput, 'by'>,
): Promise<void> {
  await database.write(async (tx) => {
    const member = await memberToChange(database, tx, accountId, personId, true)
    await deleteMember(tx, accountId, personId)
    const by = { kind: 'person', id: personId, name: member.name } as const
    await recordEvent(tx, { accountId, type: 'member.left', by, at: now(), data: { email: member.email } })
  })
}

/** Everybody is out, and nobody can come in by an invitation. A part of something larger. */
export async function removeEverybody(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await deleteMembers(tx, accountId)
  await deleteInvitations(tx, accountId)
}

/** The name of the lock that keeps two owners from removing each other at the same moment. */
export function membersLock(accountId: Id<'account'>): string {
  return `members:${accountId}`
}

async function memberToChange(
  database: Database,
  tx: Tx,
  accountId: Id<'account'>,
  personId: Id<'person'>,
  losesOwner: boolean,
): Promise<MemberRow> {
  await lock(database, tx, membersLock(accountId))
  const member = await findMember(tx, accountId, personId)
  if (member === undefined) throw new Problem('not_found', `There is no member ${personId}.`)
  if (losesOwner && member.role === 'owner' && (await countOwners(tx, accountId)) === 1) {
    throw new Problem('last_owner', `${member.name} is the only owner of the account.`)
  }
  return member
}

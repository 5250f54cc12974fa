import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { EndedMembership, Member } from '@masthead/contract/schemas/people.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { type AccountActor, eventActor, responsibleFor } from '../accounts/actor.ts'
import type { MembershipChange } from '../accounts/membership-change.ts'
import type { Context, Database, Tx } from '../database/database.ts'
import { endMemberKeys } from '../keys/member-keys.ts'
import { changeRole, leaveAccount, removeMember } from '../people/members.ts'
import { endMemberPublishers } from '../trusted-publishers/member-publishers.ts'
import { endMemberWebhooks } from '../webhooks/member-webhooks.ts'

interface MemberRequest {
  actor: AccountActor
  personId: Id<'person'>
  keys: MembershipChange['keys']
}

/**
 * Former members know the secrets of the keys they created, and may control the pipelines they trusted and what their
 * webhooks send to. So all of them end, unless we are asked to keep them.
 */
export function endMembership(
  { database, now }: Context,
  { actor, personId, keys }: MemberRequest,
): Promise<EndedMembership> {
  return database.write(async (tx) => {
    const change = { ...requestedChange(actor, personId, now()), role: null, keys }
    await removeMember(database, tx, { ...change, keepInvitations: keys === 'keep' })
    return endOrReassign(database, tx, change)
  })
}

/** Ends or reassigns what the new role does not allow. */
export function changeMembership(
  { database, now }: Context,
  { actor, personId, keys, role }: MemberRequest & { role: Role },
): Promise<Member & EndedMembership> {
  return database.write(async (tx) => {
    const change = { ...requestedChange(actor, personId, now()), role, keys }
    const member = await changeRole(database, tx, { ...change, actor, keepInvitations: keys === 'keep' })
    return { ...member, ...(await endOrReassign(database, tx, change)) }
  })
}

/** Leaving an account ends what the person created, as being removed does. */
export function endOwnMembership(
  { database, now }: Context,
  { accountId, personId }: { accountId: Id<'account'>; personId: Id<'person'> },
): Promise<void> {
  return database.write(async (tx) => {
    const at = now()
    const by = await leaveAccount(database, tx, { accountId, personId, at })
    const change = { accountId, personId, by, at, role: null, keys: 'revoke', newOwnerId: null } as const
    await endOrReassign(database, tx, change)
  })
}

function requestedChange(actor: AccountActor, personId: Id<'person'>, at: number) {
  const responsible = responsibleFor(actor)
  const newOwnerId = responsible === personId ? null : responsible
  return { accountId: actor.account.id, personId, newOwnerId, by: eventActor(actor), at }
}

async function endOrReassign(database: Database, tx: Tx, change: MembershipChange): Promise<EndedMembership> {
  return {
    revokedKeys: await endMemberKeys(tx, change),
    removedPublishers: await endMemberPublishers(tx, change),
    removedWebhooks: await endMemberWebhooks(database, tx, change),
  }
}

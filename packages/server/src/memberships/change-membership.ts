import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { EndedMembership, Member } from '@masthead/contract/schemas/people.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { type AccountActor, eventActor } from '../accounts/actor.ts'
import { confirmAccess } from '../accounts/confirm-access.ts'
import type { MembershipChange } from '../accounts/membership-change.ts'
import type { Context, Database, Tx } from '../database/database.ts'
import { Problem } from '../kernel/problem.ts'
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
    const requested = await requestedChange(database, tx, { actor, personId, keys })
    const change = { ...requested, role: null, at: now() }
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
    const change = { ...(await requestedChange(database, tx, { actor, personId, keys })), role, at: now() }
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

async function requestedChange(database: Database, tx: Tx, { actor, personId, keys }: MemberRequest) {
  const newOwnerId = await confirmAccess(database, tx, actor, ['admin'])
  // Nobody else would be responsible, so nothing would ever end what the person still controls.
  if (keys === 'keep' && newOwnerId === personId) throw keptByThemselves()
  return { accountId: actor.account.id, personId, newOwnerId, keys, by: eventActor(actor) }
}

function keptByThemselves(): Problem {
  const detail =
    'You cannot keep what depends on your own membership: another owner has to do this, who is responsible for it then.'
  return new Problem('forbidden', detail)
}

async function endOrReassign(database: Database, tx: Tx, change: MembershipChange): Promise<EndedMembership> {
  return {
    revokedKeys: await endMemberKeys(tx, change),
    removedPublishers: await endMemberPublishers(tx, change),
    removedWebhooks: await endMemberWebhooks(database, tx, change),
  }
}

import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import type { CreatedInvitation, PasswordReset } from '@masthead/contract/schemas/people.ts'
import { eventActor } from '../../accounts/actor.ts'
import type { Addresses } from '../../config/addresses.ts'
import type { KeepResult } from '../../database/database.ts'
import { isoTime } from '../../kernel/clock.ts'
import { changeMembership, endMembership } from '../../memberships/change-membership.ts'
import { invite, listInvitations, type NewInvitation, revokeInvitation } from '../../people/invitations.ts'
import { listMembers } from '../../people/members.ts'
import { acceptInvitation, lookUpInvitation } from '../../people/sign-in/accept-invitation.ts'
import { type CreatedReset, createPasswordReset } from '../../people/sign-in/password-reset.ts'
import type { OpenedSession } from '../../people/sign-in/session.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { readDevice } from '../identity/cookies.ts'
import { runOneTime } from '../one-time-requests.ts'
import { beginSession } from './session.ts'

export function toPasswordReset(
  { email, token, expiresAt }: CreatedReset,
  addresses: Pick<Addresses, 'dashboard'>,
): PasswordReset {
  return { email, url: `${addresses.dashboard}/reset-password#${token}`, expiresAt: isoTime(expiresAt) }
}

export function toCreatedInvitation(
  { invitation, token }: NewInvitation,
  addresses: Pick<Addresses, 'dashboard'>,
): CreatedInvitation {
  return { ...invitation, url: `${addresses.dashboard}/join#${token}` }
}

export function peopleRoutes({
  context,
  addresses,
  config,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['People']> {
  return {
    listMembers: ({ actor, query }) => listMembers(context, actor.account.id, query),
    changeMember: ({ actor, params, body }) =>
      changeMembership(context, { actor, personId: params.person, ...body }),
    removeMember: ({ actor, params, query }) =>
      endMembership(context, { actor, personId: params.person, keys: query.keys }),
    createPasswordReset: async ({ actor, params }) => {
      const input = { personId: params.person, by: { owner: actor } }
      return toPasswordReset(await createPasswordReset(context, input), addresses)
    },
    listInvitations: ({ actor, query }) => listInvitations(context, actor.account.id, query),
    createInvitation: async ({ actor, body }) =>
      toCreatedInvitation(await invite(context, actor, body), addresses),
    revokeInvitation: async ({ actor, params }) => {
      const by = eventActor(actor)
      await revokeInvitation(context, { accountId: actor.account.id, invitationId: params.invitation, by })
      return undefined
    },
    lookUpInvitation: ({ body }) => lookUpInvitation(context, body.token),
    acceptInvitation: async (call) => {
      const actor = call.actor?.kind === 'person' ? call.actor : null
      const input = {
        ...call.body,
        actor,
        device: readDevice(call.request),
        serverName: config.platformDomain,
      }
      // The inviter has the link too. Without a password, only the session shows who accepts it.
      const signedIn = call.body.password === undefined ? actor?.person.id : null
      const accept = (keep: KeepResult<OpenedSession>) => acceptInvitation(context, input, keep)
      return beginSession(context, call, await runOneTime(context, call, accept, signedIn))
    },
  }
}

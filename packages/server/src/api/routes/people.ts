import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { eventActor } from '../../accounts/actor.ts'
import { acceptInvitation, lookUpInvitation } from '../../people/accept-invitation.ts'
import { createPasswordReset } from '../../people/create-password-reset.ts'
import { invite, listInvitations, revokeInvitation } from '../../people/invitations.ts'
import { changeRole, listMembers, removeMember } from '../../people/members.ts'
import { Problem } from '../../problem.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'
import { placeOf } from '../device-cookie.ts'
import { toPasswordReset } from './password-reset.ts'
import { beginSession } from './session.ts'

export function peopleRoutes({
  context,
  addresses,
  config,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['People']> {
  return {
    listMembers: ({ actor, query }) => listMembers(context, actor.account.id, query),
    changeMember: ({ actor, params, body }) =>
      changeRole(context, {
        accountId: actor.account.id,
        personId: params.person,
        role: body.role,
        by: eventActor(actor),
      }),
    removeMember: async ({ actor, params }) => {
      const by = eventActor(actor)
      await removeMember(context, { accountId: actor.account.id, personId: params.person, by })
      return undefined
    },
    createPasswordReset: async ({ actor, params }) => {
      if (actor.kind === 'key')
        throw new Problem('forbidden', 'This is for a signed-in owner, not for a key.')
      const input = { personId: params.person, accountId: actor.account.id, by: eventActor(actor) }
      return toPasswordReset(await createPasswordReset(context, input), addresses)
    },
    listInvitations: ({ actor, query }) => listInvitations(context, actor.account.id, query),
    createInvitation: async ({ actor, body }) => {
      const by = eventActor(actor)
      const { invitation, token } = await invite(context, { accountId: actor.account.id, ...body, by })
      return { ...invitation, url: `${addresses.dashboard}/join#${token}` }
    },
    revokeInvitation: async ({ actor, params }) => {
      const by = eventActor(actor)
      await revokeInvitation(context, { accountId: actor.account.id, invitationId: params.invitation, by })
      return undefined
    },
    lookUpInvitation: ({ body }) => lookUpInvitation(context, body.token),
    acceptInvitation: async (call) => {
      const actor = call.actor?.kind === 'person' ? call.actor : null
      const input = { ...call.body, actor, place: placeOf(call.request), serverName: config.platformDomain }
      return beginSession(context, call, await acceptInvitation(context, input))
    },
  }
}

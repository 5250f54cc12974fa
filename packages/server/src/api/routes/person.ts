import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { listCliLogins, revokeCliLogin } from '../../keys/cli-logins.ts'
import { endOwnMembership } from '../../memberships/change-membership.ts'
import { changePassword } from '../../people/profile/change-password.ts'
import { changePerson } from '../../people/profile/change-person.ts'
import { endOtherSessions, endSession, listSessions } from '../../people/profile/manage-sessions.ts'
import { describePerson } from '../../people/read.ts'
import { lookUpPasswordReset, usePasswordReset } from '../../people/sign-in/password-reset.ts'
import type { OpenedSession } from '../../people/sign-in/session.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { clearSessionCookie, readDevice } from '../identity/cookies.ts'
import { runOneTime } from '../one-time-requests.ts'
import { beginSession } from './session.ts'

export function personRoutes({ context }: ApiParts): Handlers<keyof (typeof endpointGroups)['Person']> {
  return {
    getPerson: ({ actor }) => describePerson(context, actor.person.id),
    changePerson: async ({ actor, body }) => {
      await changePerson(context, actor, body)
      return describePerson(context, actor.person.id)
    },
    changePassword: (call) => {
      const { actor, body } = call
      return runOneTime(context, call, (keep) => changePassword(context, actor, body, keep), actor.person.id)
    },
    listSessions: ({ actor, query }) => listSessions(context, actor, query),
    endSession: async ({ actor, params, request, reply }) => {
      await endSession(context, actor, params.session)
      if (params.session === actor.session.id) clearSessionCookie(request, reply)
      return undefined
    },
    endOtherSessions: ({ actor }) => endOtherSessions(context, actor),
    listCliLogins: ({ actor, query }) => listCliLogins(context, actor, query),
    revokeCliLogin: async ({ actor, params }) => {
      await revokeCliLogin(context, actor, params.key)
      return undefined
    },
    leaveAccount: async ({ actor, params }) => {
      await endOwnMembership(context, { accountId: params.account, personId: actor.person.id })
      return undefined
    },
    lookUpPasswordReset: ({ body }) => lookUpPasswordReset(context, body.token),
    resetPassword: async (call) => {
      const input = { ...call.body, device: readDevice(call.request) }
      const opened = await runOneTime<OpenedSession>(context, call, (keep) =>
        usePasswordReset(context, input, keep),
      )
      return beginSession(context, call, opened)
    },
  }
}

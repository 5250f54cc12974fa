import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../database/database.ts'
import { findProjectAt } from '../../domains/read.ts'
import { Problem } from '../../kernel/problem.ts'
import { readMembership } from '../../people/read.ts'
import {
  closeSession,
  describeSession,
  findSessionActor,
  type OpenedSession,
  setDefaultAccount,
} from '../../people/sign-in/session.ts'
import { signIn } from '../../people/sign-in/sign-in.ts'
import { signUp } from '../../people/sign-in/sign-up.ts'
import { readOwner } from '../../projects/read.ts'
import { localTarget, newTicket, ownPaths, passLifetime } from '../../protection/passes.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import {
  clearSessionCookie,
  clientOf,
  readDevice,
  setDeviceCookie,
  setSessionCookie,
} from '../identity/cookies.ts'
import { runOneTime } from '../one-time-requests.ts'

export function sessionRoutes({
  context,
  config,
  passes,
  addresses,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Session']> {
  return {
    signUp: async (call) => {
      if (config.signup !== 'open') throw new Problem('signup_closed', 'This server is invitation-only.')
      const input = { ...call.body, device: readDevice(call.request), serverName: config.platformDomain }
      const opened = await runOneTime<OpenedSession>(context, call, (keep) => signUp(context, input, keep))
      return beginSession(context, call, opened)
    },
    signIn: async (call) =>
      beginSession(context, call, await signIn(context, { ...call.body, device: readDevice(call.request) })),
    getSession: ({ actor }) => describeSession(context, actor),
    setDefaultAccount: async ({ actor, body: { accountId }, request }) => {
      await setDefaultAccount(context, actor, accountId)
      const switched = await findSessionActor(context, request.credential?.secret ?? '', { accountId })
      return describeSession(context, switched ?? actor)
    },
    signOut: async ({ actor, request, reply }) => {
      await closeSession(context, actor)
      clearSessionCookie(request, reply)
      return undefined
    },
    enterSite: async ({ actor, body }) => {
      const asked = passes.open('request', body.request)
      if (asked === null) throw new Problem('link_invalid', 'Open the site again, and sign in from there.')
      const { host, projectId, member, secure } = asked
      const owner = await readOwner(context, projectId)
      const membership = owner && (await readMembership(context.database.read, owner, actor.person.id))
      if (membership === undefined) {
        throw new Problem('not_found', `None of your accounts has a site at ${host}. Ask for its password.`)
      }
      if ((await findProjectAt(context, host, config.platformDomain)) !== projectId) {
        const why = `${host} leads to another server now, or is no longer a domain of this project.`
        throw new Problem('site_elsewhere', `We did not sign you in: ${why}`)
      }
      const now = context.now()
      const origin = secure ? addresses.secure(host) : addresses.host(host)
      // Those of an edge that is not updated yet have no date.
      if (!(asked.expiresAt > now)) {
        const site = `${origin}${localTarget(body.to)}`
        throw new Problem('link_invalid', 'This sign-in page has expired. Open the site again.', {
          extra: { site },
        })
      }
      const when = {
        ...{ now, lifetime: passLifetime.member, visitor: null },
        member: { person: actor.person.id, session: actor.session.id },
      }
      const ticket = passes.sign('ticket', newTicket(asked, [member], when))
      const query = new URLSearchParams({ to: localTarget(body.to), ticket })
      return { url: `${origin}${ownPaths.enter}?${query.toString()}`, host }
    },
  }
}

/** Sets the cookies of a new session and returns its description. */
export async function beginSession(
  context: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  opened: OpenedSession,
): Promise<Session> {
  const actor = await findSessionActor(context, opened.token, { client: clientOf(request) })
  // A new password ends the sessions of every other browser.
  if (actor === null) throw new Problem('unauthenticated', 'This session has ended already. Sign in again.')
  setSessionCookie(request, reply, opened)
  if (opened.deviceToken !== undefined) setDeviceCookie(request, reply, opened.deviceToken, context.now())
  return describeSession(context, actor)
}

import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import type { EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { scopes } from '@masthead/contract/scopes.ts'
import {
  type AccountActor,
  type Actor,
  asMember,
  type OperatorActor,
  type PersonActor,
  refuseSuspended,
} from '../../accounts/actor.ts'
import { Problem } from '../../kernel/problem.ts'

type AccessOf<N extends EndpointName> = (typeof endpoints)[N]['access']

/** The actors that can reach a handler, given its endpoint's access. */
export type ActorFor<N extends EndpointName> =
  AccessOf<N> extends 'public'
    ? Actor | null
    : AccessOf<N> extends 'session'
      ? PersonActor
      : AccessOf<N> extends 'operator'
        ? OperatorActor | PersonActor
        : AccessOf<N> extends 'any'
          ? Actor
          : AccountActor

export function refuseUnlessAllowed(
  { access, peopleOnly }: Pick<Endpoint, 'access' | 'peopleOnly'>,
  actor: Actor | null,
): void {
  if (access === 'public') return
  if (actor === null) {
    throw new Problem('unauthenticated', 'This needs an API key or a session.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  if (access === 'any') return
  if (access === 'operator') {
    if (actor.kind === 'operator' || (actor.kind === 'person' && actor.person.operator)) return
    throw new Problem('forbidden', 'Only the operator of this server can do this.')
  }
  if ((access === 'session' || peopleOnly === true) && actor.kind !== 'person') {
    throw new Problem('forbidden', 'API keys cannot do this. Sign in to the dashboard.')
  }
  if (access === 'session') return
  if (actor.kind === 'operator') {
    throw new Problem('forbidden', 'The operator key belongs to no account. Use a key of the account.')
  }
  refuseSuspended(actor.kind === 'key' ? actor.account : asMember(actor).account)
  if (actor.scopes.includes(access)) return
  const subject = actor.kind === 'key' ? `The key ${actor.key.name}` : `Your role, ${actor.role},`
  throw new Problem('forbidden', `${subject} lacks the scope ${access}: ${scopes[access].toLowerCase()}.`, {
    extra: { requiredScope: access },
  })
}

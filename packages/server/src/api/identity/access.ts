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

/** Who a handler can count on, by what its endpoint asks for. */
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

/** Refuses whoever may not use an endpoint. */
export function refuseUnlessAllowed(
  { access, peopleOnly }: Pick<Endpoint, 'access' | 'peopleOnly'>,
  actor: Actor | null,
): void {
  if (access === 'public') return
  if (actor === null) {
    throw new Problem('unauthenticated', 'This needs an API key in the Authorization header, or a session.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  if (access === 'any') return
  if (access === 'operator') {
    if (actor.kind === 'operator' || (actor.kind === 'person' && actor.person.operator)) return
    throw new Problem('forbidden', 'This is for the operator of the server.')
  }
  if ((access === 'session' || peopleOnly === true) && actor.kind !== 'person') {
    throw new Problem('forbidden', 'This is for a signed-in person, not for a key.')
  }
  if (access === 'session') return
  if (actor.kind === 'operator') {
    throw new Problem('forbidden', 'The operator key belongs to no account. Use a key of the account.')
  }
  refuseSuspended(actor.kind === 'key' ? actor.account : asMember(actor).account)
  if (actor.scopes.includes(access)) return
  const whose = actor.kind === 'key' ? `The key ${actor.key.name}` : `Your role, ${actor.role},`
  throw new Problem('forbidden', `${whose} lacks the scope ${access}: ${scopes[access].toLowerCase()}.`, {
    extra: { requiredScope: access },
  })
}

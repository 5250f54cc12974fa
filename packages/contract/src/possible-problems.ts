import type { Endpoint } from './endpoints/endpoint.ts'
import type { ProblemCode } from './problems.ts'
import type { RouteSchemas } from './routes.ts'

/** Any route can return these. Public ones too: they also reject an invalid key. */
const anyRoute = [
  'invalid_request',
  'invalid_input',
  'unauthenticated',
  'method_not_allowed',
  'expectation_failed',
  'request_timeout',
  'headers_too_large',
  'rate_limited',
  'key_banned',
  'unavailable',
  'internal',
] as const satisfies ProblemCode[]

/** Any request that can have a body can be rejected for it, even where the route expects none. */
const anyBody = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies ProblemCode[]

const idempotency = ['idempotency_conflict', 'idempotency_mismatch'] as const satisfies ProblemCode[]

/** Every problem a route can return: its own, and those that follow from its method, parameters and access. */
export function possibleProblems(endpoint: Endpoint, schemas: RouteSchemas): Set<ProblemCode> {
  const { access, route, problems = [] } = endpoint
  return new Set<ProblemCode>([
    ...problems,
    ...anyRoute,
    ...(access === 'public' ? [] : (['forbidden'] as const)),
    ...(schemas.params === undefined ? [] : (['not_found'] as const)),
    ...(route.startsWith('GET ') ? [] : (['origin_refused', ...anyBody] as const)),
    ...(acceptsIdempotencyKey(endpoint) && !endpoint.oneTime ? idempotency : []),
  ])
}

export function acceptsIdempotencyKey({ access, route, oneTime }: Endpoint): boolean {
  return oneTime === true || (route.startsWith('POST ') && access !== 'public')
}

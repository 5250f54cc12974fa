import type { Endpoint } from './endpoints/endpoint.ts'
import type { ProblemCode } from './problems.ts'
import type { RouteSchemas } from './routes.ts'

/** What any request may be answered, whatever it asks for: also a route for everyone refuses a key that is wrong. */
const ofEveryRoute = [
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

/** A request that may have a body is refused for it, also where none is wanted. */
const ofBodies = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies ProblemCode[]

const ofIdempotency = ['idempotency_conflict', 'idempotency_mismatch'] as const satisfies ProblemCode[]

/** Every problem that a route may answer with: its own, and those that follow from what it takes and who may ask. */
export function possibleProblems(endpoint: Endpoint, schemas: RouteSchemas): Set<ProblemCode> {
  const { access, route, problems = [] } = endpoint
  return new Set<ProblemCode>([
    ...problems,
    ...ofEveryRoute,
    ...(access === 'public' ? [] : (['forbidden'] as const)),
    ...(schemas.params === undefined ? [] : (['not_found'] as const)),
    ...(route.startsWith('GET ') ? [] : (['origin_refused', ...ofBodies] as const)),
    ...(acceptsIdempotencyKey(endpoint) ? ofIdempotency : []),
  ])
}

export function acceptsIdempotencyKey({ access, route }: Endpoint): boolean {
  return route.startsWith('POST ') && access !== 'public'
}

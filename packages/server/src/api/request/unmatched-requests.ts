import { endpoints } from '@masthead/contract/endpoints.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem, unreadablePath } from '../../kernel/problem.ts'
import { pathOf } from './normalize-request.ts'

/** Each path of the API as a pattern, with the methods that it takes. */
const paths = Map.groupBy(
  Object.values(endpoints).map(({ route }) => {
    const [method = '', path = ''] = route.split(' ')
    return { method, path }
  }),
  ({ path }) => path,
)
const patterns = Array.from(paths, ([path, routes]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  methods: routes.map(({ method }) => method),
}))

export function allowedMethods(path: string): string[] {
  return patterns.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []))
}

export function notFound(request: FastifyRequest): Problem {
  const path = pathOf(request.url)
  const allowed = [...new Set(allowedMethods(path))]
  if (allowed.length > 0 && !allowed.includes(request.method)) {
    const detail = `${request.method} does not work here; ${allowed.join(', ')} does.`
    const headers = { Allow: allowed.join(', ') }
    return new Problem('method_not_allowed', detail, { headers })
  }
  return new Problem('not_found', `There is nothing at ${path.slice(0, 200)}.`)
}

const problemByStatus: Record<string, () => Problem> = {
  408: () => new Problem('request_timeout', 'The request did not arrive in time.'),
  431: () => new Problem('headers_too_large', 'The request line and the headers are larger than 16 KiB.'),
}

/** Refuses what the edge could not read. It is counted as everything below `/v1/` is. */
export function refuseUnreadable(app: FastifyInstance): void {
  app.get<{ Params: { status: string } }>(`${unreadablePath}/:status`, async ({ params }) => {
    throw (
      problemByStatus[params.status]?.() ??
      new Problem(
        'invalid_request',
        'What was sent is not HTTP/1.1: a line of it is malformed, or it does not name exactly one Host.',
      )
    )
  })
}

import { endpoints } from '@masthead/contract/endpoints.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem, unreadablePath } from '../../kernel/problem.ts'
import { pathOf } from './normalize-request.ts'

type Route = { route: string; answers?: string }

/** About the API itself, which the contract does not list. */
const aboutApi: Route[] = [{ route: 'GET /v1' }, { route: 'GET /v1/openapi.json' }]

/** Each API path as a pattern, with its methods. */
const paths = Map.groupBy(
  [...Object.values<Route>(endpoints), ...aboutApi].flatMap(({ route, answers }) => {
    const [method = '', path = ''] = route.split(' ')
    const methods = method === 'GET' && answers !== 'text/event-stream' ? ['GET', 'HEAD'] : [method]
    return methods.map((one) => ({ method: one, path }))
  }),
  ({ path }) => path,
)
const patterns = Array.from(paths, ([path, routes]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  methods: routes.map(({ method }) => method),
}))

function allowedMethods(path: string): string[] {
  return patterns.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []))
}

export function notFound(request: FastifyRequest): Problem {
  const path = pathOf(request.url)
  const allowed = [...new Set(allowedMethods(path))]
  if (allowed.length > 0 && !allowed.includes(request.method)) {
    const detail = `This path does not support ${request.method}. Use ${allowed.filter((method) => method !== 'HEAD').join(' or ')}.`
    const headers = { Allow: allowed.join(', ') }
    return new Problem('method_not_allowed', detail, { headers })
  }
  return new Problem('not_found', `There is nothing at ${path.slice(0, 200)}.`)
}

const problemByStatus: Record<string, () => Problem> = {
  408: () => new Problem('request_timeout', 'The request took too long to arrive.'),
  431: () => new Problem('headers_too_large', 'The request line and headers are larger than 16 KiB.'),
}

/** Responds to requests that the edge could not parse. They are counted like everything below `/v1/`. */
export function refuseUnreadable(app: FastifyInstance): void {
  app.get<{ Params: { status: string } }>(`${unreadablePath}/:status`, async ({ params }) => {
    throw (
      problemByStatus[params.status]?.() ??
      new Problem(
        'invalid_request',
        'This is not a valid HTTP/1.1 request: a line is malformed, or there is not exactly one Host header.',
      )
    )
  })
}

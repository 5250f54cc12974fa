import { endpoints } from '@masthead/contract/endpoints.ts'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import { pathOf } from './canonical-target.ts'

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

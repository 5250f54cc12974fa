import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import type { RouteSchemas } from '@masthead/contract/routes.ts'

/**
 * Whether an answer without the header that names Masthead's version is of Masthead: a proxy may have removed it, or
 * another program listens there.
 */
export async function recognizeAnswer(name: EndpointName, status: number, value: unknown): Promise<boolean> {
  const expected: Endpoint = endpoints[name]
  if (status !== (expected.status ?? 200)) return false
  // Loaded on demand, because schemas take longer to load than most commands run.
  const { routes } = await import('@masthead/contract/routes.ts')
  const { answer }: RouteSchemas = routes[name]
  return answer === undefined || answer.safeParse(value).success
}

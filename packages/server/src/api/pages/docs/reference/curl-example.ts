import { exampleOf } from '@masthead/contract/docs/example-values.ts'
import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import type { Json, OpenApiOperation } from './openapi-document.ts'

/** Makes the examples usable as they are: a key or a sign-in, the server's address, a valid body. */
export function curlExample(
  endpoint: Endpoint,
  { parameters, requestBody }: OpenApiOperation,
  resolve: (reference: string) => Json,
  server: string,
): string {
  const [method = '', route = ''] = endpoint.route.split(' ')
  const path = route.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    if (name === 'project') return 'my-site'
    return encodeURIComponent(String(exampleOf(parameter?.schema ?? {}, resolve, name)))
  })
  const needed = parameters.filter((one) => one.in === 'query' && one.required)
  const query = needed.map(
    ({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, resolve, name)))}`,
  )
  const url = `${server}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const target = /[?&]/.test(url) ? `'${url}'` : url
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${target}`, ...credentials(endpoint, server)]
  const body = bodyOf(endpoint, requestBody, resolve)
  return [...lines, ...body].join(' \\\n  ')
}

function credentials({ access, peopleOnly, route }: Endpoint, server: string): string[] {
  if (route === 'POST /v1/session') return ['-c cookies.txt', `-H 'Origin: ${server}'`]
  if (access === 'public') return []
  if (access === 'operator') return [`-H "Authorization: Bearer $(cat data/operator.key)"`]
  if (access !== 'session' && peopleOnly !== true) return ['-H "Authorization: Bearer $MASTHEAD_KEY"']
  return ['-b cookies.txt', ...(route.startsWith('GET ') ? [] : [`-H 'Origin: ${server}'`])]
}

function bodyOf(
  { body }: Endpoint,
  request: OpenApiOperation['requestBody'],
  resolve: (reference: string) => Json,
): string[] {
  if (body === 'bytes') return ["-H 'Content-Type: application/octet-stream'", '--data-binary @index.html']
  if (body === 'archive' || body === 'archive-or-json')
    return ["-H 'Content-Type: application/gzip'", '--data-binary @site.tar.gz']
  const schema = request?.content['application/json']?.schema
  if (schema === undefined) return []
  const json = JSON.stringify(exampleOf(schema, resolve)).replaceAll("'", "'\\''")
  return ["-H 'Content-Type: application/json'", `-d '${json}'`]
}

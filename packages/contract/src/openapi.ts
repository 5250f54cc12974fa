import { z } from 'zod'
import { accountHeader, actsInAccount, defaultJsonLimits, type Endpoint } from './endpoints/endpoint.ts'
import { endpointGroups, groupSummaries } from './endpoints.ts'
import { acceptsIdempotencyKey, possibleProblems } from './possible-problems.ts'
import { type ProblemCode, problems } from './problems.ts'
import { type RouteSchemas, routes } from './routes.ts'
import { problemDocument } from './schemas/problem-document.ts'
import { cookieName, sessionCookie } from './session-cookie.ts'

type Json = { [name: string]: unknown }

/** The OpenAPI 3.1 document of all routes. */
export function openApiDocument(info: { version: string; server: string }): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const [tag, group] of Object.entries(endpointGroups)) {
    for (const [name, endpoint] of Object.entries(group as Record<string, Endpoint>)) {
      const [method = '', path = ''] = endpoint.route.split(' ')
      const schemas: RouteSchemas = routes[name as keyof typeof routes]
      const operation = describe(name, endpoint, schemas, components)
      paths[path] = { ...paths[path], [method.toLowerCase()]: { tags: [tag], ...operation } }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Masthead',
      version: info.version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.server }],
    tags: Object.entries(groupSummaries).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      headers: responseHeaders,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, `mh_…`' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName(sessionCookie, { isSecure: info.server.startsWith('https:') }),
          description: 'A signed-in person. Over plain HTTP the name is without `__Host-`',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'The operator key' },
      },
    },
  }
}

const introduction = [
  'Publish folders and serve them. Send an API key as `Authorization: Bearer mh_…`.',
  'Errors are problem documents (RFC 9457) with a stable `code`. Every response has an `X-Request-Id`.',
  'Lists come in pages: follow `next`. A `POST` with an `Idempotency-Key` can be repeated safely for 24 hours.',
].join('\n\n')

function describe(name: string, endpoint: Endpoint, schemas: RouteSchemas, components: Components): Json {
  const answer = answerSchema(endpoint, schemas, components)
  const type = endpoint.answers ?? 'application/json'
  const isRead = endpoint.route.startsWith('GET ')
  return {
    operationId: name,
    summary: endpoint.summary,
    ...security(endpoint),
    parameters: [
      ...parameters('path', schemas.params, components),
      ...parameters('query', schemas.query, components),
      ...(actsInAccount(endpoint) ? [accountParameter] : []),
      ...(endpoint.versioned ? [isRead ? ifNoneMatch : ifMatch] : []),
      ...(acceptsIdempotencyKey(endpoint) ? [idempotencyKey(endpoint)] : []),
    ],
    ...requestBody(endpoint, schemas, components),
    responses: {
      [String(endpoint.status ?? 200)]: {
        description: 'Success',
        headers: {
          ...references('X-Request-Id', ...limitHeaders),
          ...(endpoint.versioned ? { ETag: entityTag } : {}),
          ...(acceptsIdempotencyKey(endpoint) ? references('Idempotent-Replayed') : {}),
        },
        ...(answer === undefined ? {} : { content: { [type]: { schema: answer } } }),
      },
      ...(endpoint.versioned && isRead ? { 304: notModified } : {}),
      ...errorResponses(endpoint, schemas, components),
    },
  }
}

const accountParameter = {
  name: accountHeader,
  in: 'header',
  required: false,
  description:
    'Id of the account to use. Required for a signed-in person who belongs to several accounts, unless the address names a project',
  schema: { type: 'string' },
}

const idempotencyKey = ({ oneTime }: Endpoint) => ({
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `The same request with the same key runs only once: for ${oneTime ? 'ten minutes' : '24 hours'}, repeating it returns the first response`,
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' },
})

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag you read. If it has changed in the meantime, nothing is changed',
  schema: { type: 'string' },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag you read. If it is still the same, the response is 304',
  schema: { type: 'string' },
}

const entityTag = { description: 'Identifies the current version', schema: { type: 'string' } }

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const limitHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const

const notModified = {
  description: 'Nothing has changed since you read this version',
  headers: { ...references('X-Request-Id', ...limitHeaders), ETag: entityTag },
}

const responseHeaders = {
  'X-Request-Id': { description: 'Identifies the request in the log of the server', schema: text },
  'X-RateLimit-Limit': { description: 'Requests in the window with the fewest left', schema: count },
  'X-RateLimit-Remaining': { description: 'Requests left in it', schema: count },
  'X-RateLimit-Reset': { description: 'When it has requests again, as Unix time', schema: count },
  'RateLimit-Policy': { description: 'The limits of every window', schema: text },
  RateLimit: { description: 'What is left in every window, and for how long', schema: text },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
  'Idempotent-Replayed': {
    description: '`true` if this is the response to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
}

function references(...names: (keyof typeof responseHeaders)[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function answerSchema(
  endpoint: Endpoint,
  { answer }: RouteSchemas,
  components: Components,
): Json | undefined {
  if (endpoint.answers === 'text/event-stream') return { type: 'string' }
  return answer === undefined ? undefined : components.schema(answer, 'output')
}

function security({ access, peopleOnly }: Endpoint): Json {
  if (access === 'public') return { security: [] }
  if (access === 'session') return { security: [{ session: [] }] }
  if (access === 'operator') return { security: [{ operator: [] }, { session: [] }] }
  if (peopleOnly) {
    const description = `Only for signed-in people whose role has the scope \`${access}\`; keys cannot use it.`
    return { description, security: [{ session: [] }] }
  }
  const needs = access === 'any' ? {} : { description: `Needs the scope \`${access}\`.` }
  return { ...needs, security: [{ key: [] }, { session: [] }] }
}

function parameters(where: 'path' | 'query', schema: z.ZodType | undefined, components: Components): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = components.schema(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(property.description === undefined ? {} : { description: property.description }),
    schema: property,
  }))
}

function requestBody(endpoint: Endpoint, schemas: RouteSchemas, components: Components): Json {
  const binary = { schema: { type: 'string', format: 'binary' } }
  const required = true
  if (endpoint.body === 'bytes') {
    return { requestBody: { required, content: { 'application/octet-stream': binary } } }
  }
  const tars = { 'application/gzip': binary, 'application/x-tar': binary }
  if (endpoint.body === 'archive') return { requestBody: { required, content: tars } }
  if (schemas.body === undefined) return {}
  const json = { 'application/json': { schema: components.schema(schemas.body, 'input') } }
  const archives = { ...tars, 'application/zip': binary }
  const content = endpoint.body === 'archive-or-json' ? { ...archives, ...json } : json
  const { bytes, entries } = endpoint.json ?? defaultJsonLimits
  const description = `At most ${bytes / 1024} KiB of JSON with ${entries} values.`
  return { requestBody: { required: !schemas.body.safeParse(undefined).success, description, content } }
}

/** The problems a route can return, by status. */
function errorResponses(endpoint: Endpoint, schemas: RouteSchemas, components: Components): Json {
  const codes = possibleProblems(endpoint, schemas)
  if (endpoint.access !== 'public') codes.add('wrong_account')
  if (actsInAccount(endpoint)) codes.add('account_required')
  const content = { 'application/problem+json': { schema: components.schema(problemDocument, 'output') } }
  const byStatus = Map.groupBy(codes, (code) => problems[code].status)
  const entries = [...byStatus].map(([status, some]) => {
    const description = some.map((code) => `\`${code}\`: ${problems[code].title}.`).join('\n\n')
    const headers = {
      ...references('X-Request-Id'),
      ...(status === 429 ? references(...limitHeaders) : {}),
      ...(some.some(isRetried) ? references('Retry-After') : {}),
    }
    return [String(status), { description, headers, content }]
  })
  return Object.fromEntries(entries)
}

/** Whether the response says when to try again. */
function isRetried(code: ProblemCode): boolean {
  return [429, 503].includes(problems[code].status) || code === 'idempotency_conflict'
}

/** Collects JSON Schemas. Those with an id are stored once and referenced. */
class Components {
  readonly schemas: Record<string, Json> = {}

  schema(type: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
    for (const [id, definition] of Object.entries($defs))
      this.schemas[id] ??= this.#rewrite(definition) as Json
    const { id, ...rest } = this.#rewrite(schema) as Json
    if (typeof id !== 'string') return rest
    this.schemas[id] ??= rest
    return { $ref: `#/components/schemas/${id}` }
  }

  #rewrite(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).filter(([name, item]) => !isUnlimited(name, item))
    return Object.fromEntries(
      members.map(([name, item]) => [
        name,
        name === '$ref' && typeof item === 'string'
          ? item.replace('#/$defs/', '#/components/schemas/')
          : this.#rewrite(item),
      ]),
    )
  }
}

/** zod writes down the safe integers as limits of every integer, which tells nobody anything. */
function isUnlimited(name: string, value: unknown): boolean {
  return (
    (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    (name === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  )
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actsInAccount, type Endpoint } from './endpoints/endpoint.ts'
import { endpoints } from './endpoints.ts'
import { openApiDocument } from './openapi.ts'
import { problems } from './problems.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string; required: boolean }[]
  description?: string
  requestBody?: { required?: boolean }
  responses: Record<string, { description: string; headers: Record<string, object> }>
  security: object[]
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { description?: string }>
    headers: Record<string, object>
    securitySchemes: { session: { name: string } }
  }
}

const documentOf = (server: string) => openApiDocument({ version: '1.2.3', server }) as unknown as Document
const document = documentOf('http://localhost')

function operation({ route }: Endpoint): Operation | undefined {
  const [method = '', path = ''] = route.split(' ')
  return document.paths[path]?.[method.toLowerCase()]
}

test('every endpoint is described with its success, its problems and its security', () => {
  for (const [name, endpoint] of Object.entries(endpoints) as [string, Endpoint][]) {
    const described = operation(endpoint)
    assert.equal(described?.operationId, name)
    assert.ok(described.responses[String(endpoint.status ?? 200)], name)
    for (const code of endpoint.problems ?? []) {
      assert.ok(described.responses[String(problems[code].status)]?.description.includes(`\`${code}\``), name)
    }
    assert.equal(described.security.length === 0, endpoint.access === 'public', name)
    for (const status of ['400', '401', '405', '417', '422', '429', '500', '503'])
      assert.ok(status in described.responses, `${name} ${status}`)
    const mayHaveBody = !endpoint.route.startsWith('GET ')
    for (const status of ['413', '415']) assert.equal(status in described.responses, mayHaveBody, name)
    assert.equal(described.responses['403']?.description.includes('origin_refused') === true, mayHaveBody)
    const takesKey =
      endpoint.oneTime === true || (endpoint.route.startsWith('POST ') && endpoint.access !== 'public')
    assert.equal(
      described.parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
      takesKey,
    )
  }
})

test('a route that keys cannot use names no key', () => {
  for (const [name, endpoint] of Object.entries(endpoints) as [string, Endpoint][]) {
    const { security = [], description = '' } = operation(endpoint) ?? {}
    const isForPeople = endpoint.access === 'session' || endpoint.peopleOnly === true
    if (!isForPeople) continue
    assert.deepEqual(security, [{ session: [] }], name)
    assert.doesNotMatch(description, /^Needs the scope/, name)
  }
})

test('the session cookie has the name that the server gives it', () => {
  const nameOn = (server: string) => documentOf(server).components.securitySchemes.session.name
  assert.equal(nameOn('http://localhost'), 'masthead_session')
  assert.equal(nameOn('https://masthead.example'), '__Host-masthead_session')
})

test('files and archives are required', () => {
  for (const name of ['putFile', 'putFiles'] as const) {
    assert.equal(operation(endpoints[name])?.requestBody?.required, true, name)
  }
})

test('every response names the headers that it has', () => {
  for (const [name, endpoint] of Object.entries(endpoints) as [string, Endpoint][]) {
    const { responses = {}, parameters = [] } = operation(endpoint) ?? {}
    const success = responses[String(endpoint.status ?? 200)]?.headers ?? {}
    for (const { headers } of Object.values(responses)) assert.ok('X-Request-Id' in headers, name)
    for (const headers of [success, responses['429']?.headers ?? {}]) {
      for (const header of ['X-RateLimit-Remaining', 'RateLimit', 'RateLimit-Policy']) {
        assert.ok(header in headers, `${name} ${header}`)
      }
    }
    const takesKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key')
    assert.equal('Idempotent-Replayed' in success, takesKey, name)
    const conflict = responses['409']
    const mayConflict = conflict?.description.includes('idempotency_conflict') ?? false
    assert.equal('Retry-After' in (conflict?.headers ?? {}), mayConflict, name)
  }
  const named = [...JSON.stringify(document).matchAll(/"#\/components\/headers\/([\w-]+)"/g)]
  assert.deepEqual(
    [...new Set(named.map(([, header]) => header))].sort(),
    Object.keys(document.components.headers).sort(),
  )
})

test('descriptions use the right article', () => {
  assert.doesNotMatch(JSON.stringify(document), /\ba (?:account|event|invitation)\b/)
})

test('every path parameter is required', () => {
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    const parts = [...endpoint.route.matchAll(/\{(\w+)\}/g)].map(([, part]) => part)
    const inPath = (operation(endpoint)?.parameters ?? []).filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      inPath.map(({ name }) => name),
      parts,
    )
    assert.ok(inPath.every(({ required }) => required))
  }
})

test('routes that act in an account accept the account header', () => {
  for (const [name, endpoint] of Object.entries(endpoints) as [string, Endpoint][]) {
    const { parameters = [], responses = {} } = operation(endpoint) ?? {}
    const named = parameters.filter((parameter) => parameter.name === 'Masthead-Account')
    assert.equal(named.length, actsInAccount(endpoint) ? 1 : 0, name)
    assert.equal(
      responses['400']?.description.includes('account_required') ?? false,
      named.length === 1,
      name,
    )
  }
})

test('versioned routes return an ETag, changes accept If-Match, and reads answer 304 to If-None-Match', () => {
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    const { parameters = [], responses } = operation(endpoint) ?? {}
    const success = responses?.[String(endpoint.status ?? 200)]
    assert.equal(success?.headers.ETag !== undefined, endpoint.versioned === true)
    const isChange = endpoint.versioned === true && !endpoint.route.startsWith('GET ')
    assert.equal(
      parameters.some(({ name, required }) => name === 'If-Match' && !required),
      isChange,
    )
    const isRead = endpoint.versioned === true && endpoint.route.startsWith('GET ')
    assert.equal(
      parameters.some(({ name, required }) => name === 'If-None-Match' && !required),
      isRead,
    )
    assert.equal(responses?.['304']?.headers.ETag !== undefined, isRead)
  }
})

test('every reference has its schema, and every schema is referenced', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
  const named = new Set(references.map(([, name]) => name))
  assert.deepEqual([...named].sort(), Object.keys(document.components.schemas).sort())
})

test('no number has the limits of the language as its own', () => {
  assert.doesNotMatch(JSON.stringify(document), /9007199254740991/)
})

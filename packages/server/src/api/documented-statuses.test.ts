import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { openApiDocument } from '@masthead/contract/openapi.ts'
import { openSqlite } from '../database/each-database.test-kit.ts'
import { minute } from '../kernel/clock.ts'
import { type ApiUnderTest, type Caller, nobody, startApi } from './api.test-kit.ts'

type Send = NonNullable<Parameters<ApiUnderTest['send']>[2]>

const { paths } = openApiDocument({ version: '0', server: 'http://localhost' }) as {
  paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>
}

const json = { 'Content-Type': 'application/json' }
const body = (type: string, text: string): Send => ({ headers: { 'Content-Type': type }, body: text })

/** Invalid bodies and headers, and some that may be valid. */
const oddities: Send[] = [
  {},
  body('application/json', '{'),
  body('application/json', '[]'),
  body('application/json', `{"__proto__":{}}`),
  body(
    'application/json',
    JSON.stringify({ unknown: 1, name: 3, slug: 'a', email: 'x', hostname: 'a.example' }),
  ),
  body('application/json', `"${'x'.repeat(70_000)}"`),
  body('application/json', `[${'1,'.repeat(5_000)}1]`),
  body('application/gzip', 'no archive'),
  body('application/octet-stream', 'bytes'),
  body('text/plain', 'text'),
  { json: {}, headers: { 'Idempotency-Key': 'with a space' } },
  { json: {}, headers: { ...json, 'Idempotency-Key': 'one' } },
  { json: { files: { '../x': { sha256: '0'.repeat(64), size: 1 } } } },
]

/** These depend on the request, or on why it failed. */
const optionalHeaders = ['Idempotent-Replayed', 'Retry-After']

const params: Record<string, string[]> = {
  project: ['a', 'nope', 'a%00b'],
  hostname: ['www.acme.com', '%20'],
}

/** Paths of a route with parameters that exist, do not exist, and cannot exist. */
function addressesOf(path: string): string[] {
  const fill = (choice: number) =>
    path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => params[name]?.[choice] ?? ['x', '%00', 'y'][choice] ?? 'x',
    )
  return [...new Set([fill(0), fill(1), fill(2), `${fill(0)}?unknown=1`])]
}

test('every status that a route returns is documented', async () => {
  await using database = await openSqlite()
  await using api = await startApi(database)
  const { id } = await api.newAccount('Acme', 'business')
  const owner = await api.newPerson(id, 'owner', { operator: true })
  const key = await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])
  await api.send('POST /v1/projects', key.caller, { json: { slug: 'a' } })
  const callers: Caller[] = [
    nobody,
    api.byKey('mh_wrong'),
    key.caller,
    owner.caller,
    { ...owner.caller, Origin: 'http://evil.example' },
    api.operator,
  ]
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const { route, access } = endpoints[name]
    // One is an endless stream, the other ends the caller's session.
    if (name === 'streamChanges' || name === 'signOut') continue
    const [method = '', path = ''] = route.split(' ')
    const responses = paths[path]?.[method.toLowerCase()]?.responses ?? {}
    const documented = Object.keys(responses)
    const [right = '', ...wrong] = addressesOf(path)
    const bodies = method === 'GET' ? [] : oddities
    const requests: [string, Caller, Send][] = [
      ...callers.flatMap((caller) => [right, ...wrong].map((at): [string, Caller, Send] => [at, caller, {}])),
      ...bodies.map((odd): [string, Caller, Send] => [right, access === 'public' ? nobody : key.caller, odd]),
      ...bodies.slice(1, 4).map((odd): [string, Caller, Send] => [right, owner.caller, odd]),
    ]
    api.clock.at += minute
    const answers = await Promise.all(
      requests.map(async ([address, caller, odd]) => ({
        asked: `${method} ${address}`,
        ...(await api.send(`${method} ${address}`, caller, odd)),
      })),
    )
    for (const { asked, status, text, headers } of answers) {
      assert.ok(documented.includes(String(status)), `${asked} answers ${status}: ${text}`)
      assert.notEqual(status, 500, `${asked}: ${text}`)
      const named = responses[status]?.headers ?? {}
      if (headers.has('retry-after')) assert.ok('Retry-After' in named, `${asked} answers ${status}`)
      for (const header of Object.keys(named)) {
        if (optionalHeaders.includes(header)) continue
        assert.ok(headers.has(header), `${asked} answers ${status} without ${header}`)
      }
    }
  }
  // A rate-limited request.
  for (let count = 0; count < 70; count++) await api.send('GET /v1/server', nobody)
  for (const { route } of Object.values(endpoints)) {
    const [method = '', path = ''] = route.split(' ')
    const { status, headers } = await api.send(`${method} ${addressesOf(path)[0]}`, nobody)
    assert.equal(status, 429)
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.ok('429' in (paths[path]?.[method.toLowerCase()]?.responses ?? {}))
  }
})

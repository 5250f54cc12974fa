import assert from 'node:assert/strict'
import { problemDocument } from '@masthead/contract/schemas/problem-document.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { type Answer, type ApiUnderTest, nobody, onEachApi } from './api.test-kit.ts'
import { cursorOf } from './routes/every-page.test-kit.ts'

async function keyOf(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  return (await api.newKey(id, ['read', 'deploy', 'admin'])).caller
}

/** Every error has this form. */
function assertProblem(answer: Answer<unknown>, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const problem = problemDocument.parse(answer.body)
  assert.equal(problem.status, status)
  assert.equal(problem.code, code)
  assert.equal(problem.type, `/docs/errors#${code}`)
  assert.equal(problem.requestId, answer.headers.get('x-request-id'))
  assert.match(problem.requestId, /^req_/)
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
}

onEachApi('a request', (test) => {
  test('with a body that is not JSON, or an empty one declared as JSON, gets 400', async (api) => {
    const caller = await keyOf(api)
    const headers = { 'Content-Type': 'application/json' }
    for (const body of ['{"slug": "a"', '', 'slug=a', '{"slug": "a"}}']) {
      assertProblem(await api.send('POST /v1/projects', caller, { headers, body }), 400, 'malformed_json')
    }
  })

  test('with JSON that is not UTF-8 gets 400, and 415 if it says so', async (api) => {
    const caller = await keyOf(api)
    const send = (body: Buffer, type = 'application/json') =>
      api.send('POST /v1/projects', caller, { headers: { 'Content-Type': type }, body: new Uint8Array(body) })
    const json = (name: string) => Buffer.from(`{"slug": "caf", "name": "${name}"}`)
    const latin = Buffer.from('{"slug": "caf", "name": "café"}', 'latin1')
    assertProblem(await send(latin), 400, 'malformed_json')
    for (const charset of ['iso-8859-1', '"ISO-8859-1"', 'utf-16', 'UTF-8859']) {
      const refused = await send(latin, `application/json; charset=${charset}`)
      assertProblem(refused, 415, 'unsupported_media_type')
    }
    for (const name of ['\\ud800', 'a\\uDC00b', '\\ude00\\ud83d', '\\\\\\ud83d', '\\ud83d\\ud83d\\ude00']) {
      assertProblem(await send(json(name)), 400, 'malformed_json')
    }
    assertProblem(await send(Buffer.from('{"slug": "caf", "a\\ud800": 1}')), 400, 'malformed_json')

    const created = await send(
      json('é \\u00e9 \\ud83d\\ude00 \\uD83D\\uDE00 \\\\ud800'),
      'application/json;charset="UTF-8"',
    )
    assert.equal(created.status, 201, created.text)
    const stored = await api.send<Project>('GET /v1/projects/caf', caller)
    assert.equal(stored.body.name, 'é é 😀 😀 \\ud800')
    for (const type of ['application/json; charset=utf8', 'Application/JSON; Charset=Utf-8']) {
      const changed = await api.send('PATCH /v1/projects/caf', caller, {
        headers: { 'Content-Type': type },
        body: '{"name": "café"}',
      })
      assert.equal(changed.status, 200, changed.text)
    }
  })

  test('with __proto__ or constructor.prototype in its body gets 400 and changes nothing', async (api) => {
    const caller = await keyOf(api)
    const headers = { 'Content-Type': 'application/json' }
    for (const body of [
      '{"slug": "a", "__proto__": {"polluted": true}}',
      '{"slug": "a", "name": {"__proto__": {"polluted": true}}}',
      '{"slug": "a", "constructor": {"prototype": {"polluted": true}}}',
    ]) {
      const refused = await api.send('POST /v1/projects', caller, { headers, body })
      assertProblem(refused, 400, 'malformed_json')
      assert.match(refused.body.detail, /`__proto__`/)
    }
    assert.equal(Reflect.get({}, 'polluted'), undefined)
  })

  test('with a body of another kind gets 415', async (api) => {
    const caller = await keyOf(api)
    const body = '{"slug": "a"}'
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/gzip',
      'application/octet-stream',
      'nonsense',
    ]) {
      const refused = await api.send('POST /v1/projects', caller, { headers: { 'Content-Type': type }, body })
      assertProblem(refused, 415, 'unsupported_media_type')
    }
  })

  test('with more JSON than any route accepts gets 413', async (api) => {
    const caller = await keyOf(api)
    const json = { slug: 'a', name: 'x'.repeat(8 * 1024 ** 2) }
    assertProblem(await api.send('POST /v1/projects', caller, { json }), 413, 'body_too_large')
  })

  test('without credentials is refused before its body is read', async (api) => {
    const headers = { 'Content-Type': 'application/json' }
    assertProblem(await api.send('POST /v1/projects', nobody, { headers, body: '{' }), 401, 'unauthenticated')
  })

  test('with unknown fields gets the path of each', async (api) => {
    const caller = await keyOf(api)
    const json = { slug: 'a', colour: 'red', size: 3 }
    const refused = await api.send('POST /v1/projects', caller, { json })
    assertProblem(refused, 422, 'invalid_input')
    assert.deepEqual(refused.body.errors, [
      { path: 'colour', message: 'is not a known field' },
      { path: 'size', message: 'is not a known field' },
    ])
    const files = { '/a': { sha256: '0'.repeat(64), size: 1, mode: 7 } }
    await api.send('POST /v1/projects', caller, { json: { slug: 'a' } })
    const nested = await api.send('POST /v1/projects/a/deployments', caller, { json: { files } })
    assert.deepEqual(nested.body.errors, [{ path: 'files./a.mode', message: 'is not a known field' }])
  })

  test('with an unknown query parameter gets 422', async (api) => {
    const caller = await keyOf(api)
    for (const route of ['GET /v1/account?verbose=1', 'GET /v1/projects?page=2']) {
      assertProblem(await api.send(route, caller), 422, 'invalid_input')
    }
  })

  test('with values of the wrong type is told the expected one', async (api) => {
    const caller = await keyOf(api)
    const refusals: [unknown, string][] = [
      [{ name: 'x' }, 'slug is required.'],
      [{ slug: 'Big' }, 'slug can only contain lower-case letters, digits and hyphens.'],
      [{ slug: 'a', singlePage: 'yes' }, 'singlePage must be a boolean.'],
      [{ slug: 'a', name: 'tab\u0000bed' }, 'name must not contain control characters.'],
      [[], 'The body must be an object.'],
    ]
    for (const [json, detail] of refusals) {
      const refused = await api.send('POST /v1/projects', caller, { json })
      assertProblem(refused, 422, 'invalid_input')
      assert.equal(refused.body.detail, detail)
    }
    const without = await api.send('POST /v1/projects', caller)
    assert.equal(without.body.detail, 'The body is required.')
  })

  test('to an unknown path gets 404', async (api) => {
    const caller = await keyOf(api)
    for (const route of [
      'GET /v1/nope',
      'POST /v1/nope',
      'GET /v1/projects/',
      'GET /v2',
      'GET /v1/keys/nope/x',
      'DELETE /v1/keys/nope',
      'GET /v1/projects/a%00b',
      'GET /nope.txt',
    ]) {
      assertProblem(await api.send(route, caller), 404, 'not_found')
    }
  })

  test('with an unsupported method gets 405 and the supported ones', async (api) => {
    const refused = await api.send('PUT /v1/account', nobody)
    assertProblem(refused, 405, 'method_not_allowed')
    assert.equal(refused.headers.get('allow'), 'GET, HEAD, PATCH, DELETE')
    assert.match(refused.body.detail, /Use GET or PATCH or DELETE\.$/)
    for (const [route, allow] of [
      ['GET /v1/setup', 'POST'],
      ['POST /v1/stream', 'GET'],
      ['POST /v1', 'GET, HEAD'],
    ] as const) {
      assert.equal((await api.send(route, nobody)).headers.get('allow'), allow)
    }
  })

  test('to a path that cannot be decoded gets 400', async (api) => {
    const caller = await keyOf(api)
    for (const path of ['%E0%A4%A', '%', '%ff']) {
      const refused = await api.send(`GET /v1/projects/${path}`, caller)
      assertProblem(refused, 400, 'invalid_request')
      assert.match(refused.body.detail, /percent sign/)
    }
    assertProblem(await api.send(`GET /v1/projects/${'a'.repeat(400)}`, caller), 404, 'not_found')
  })

  test('to a path that ends before the name of something gets 404, and what is missing', async (api) => {
    const refused = await api.send('GET /v1/projects/', await keyOf(api))
    assertProblem(refused, 404, 'not_found')
    assert.match(refused.body.detail, /nothing where the project belongs/)
  })

  test('to the root of the API gets the addresses of its documentation, and is counted', async (api) => {
    const root = await api.send<{ docs: string; openapi: string }>('GET /v1', nobody)
    assert.deepEqual([root.status, new URL(root.body.docs).pathname], [200, '/docs'])
    const { pathname } = new URL(root.body.openapi)
    assert.equal((await api.send(`GET ${pathname}`, nobody)).status, 200)
    assert.equal((await api.send('GET /v1', api.byKey('unknown'))).status, 401)
  })

  test('with NUL in text is a client error', async (api) => {
    const caller = await keyOf(api)
    const cursor = cursorOf('listProjects', 'after:\0', 'created')
    const answer = await api.send(`GET /v1/projects?cursor=${cursor}`, caller)
    assert.ok(answer.status < 500, answer.text)
  })

  test('is never cached, and has a unique id', async (api) => {
    const answers = [await api.send('GET /v1/server', nobody), await api.send('GET /v1/account', nobody)]
    for (const { headers } of answers) assert.equal(headers.get('cache-control'), 'no-store')
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    assert.notEqual(ids[0], ids[1])
  })

  test('that fails internally reveals only its id, and the log has the error, the route and the account', async (api) => {
    const { id } = await api.newAccount()
    const { caller, secret } = await api.newKey(id, ['read', 'deploy'])
    const { database } = api.context
    await database
      .write((tx) => tx.schema.dropTable('projects').cascade().execute())
      .catch(() => database.write((tx) => tx.schema.alterTable('projects').renameTo('gone').execute()))
    const failed = await api.send('GET /v1/projects/acme', caller)
    assertProblem(failed, 500, 'internal')
    assert.doesNotMatch(failed.text, /select|projects|sqlite|relation|at .*\.ts|node:/i)
    const line = api.logged.find((entry) => entry.includes('a request failed')) ?? ''
    assert.match(line, /projects/)
    const { reqId, method, route, account } = JSON.parse(line)
    assert.deepEqual(
      { reqId, method, route, account },
      { reqId: failed.body.requestId, method: 'GET', route: '/v1/projects/:project', account: id },
    )
    assert.ok(!api.logged.join('').includes(secret))
  })
})

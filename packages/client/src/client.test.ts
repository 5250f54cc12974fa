import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { type ClientOptions, createClient, type Retry } from './client.ts'
import { ConnectionError, EndlessListError, LostAnswerError, UnexpectedAnswerError } from './errors.ts'
import { listAll } from './paginate.ts'
import { defaultRetryPolicy, sleep } from './retry.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Reply = (response: ServerResponse, seen: Seen) => void

/** A server that gives one reply after the other, the last of them for ever, and a client that does not wait. */
async function talk(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = []
  const http = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const entry = { method, url, headers, body: await text(request) }
    const reply = replies[Math.min(seen.push(entry), replies.length) - 1]
    reply?.(response, entry)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const waits: number[] = []
  const retries: Retry[] = []
  const client = createClient({
    server,
    sleep: async (ms) => {
      waits.push(ms)
    },
    random: () => 0.5,
    onRetry: (retry) => retries.push(retry),
    ...options,
  })
  const stop = async () => {
    http.closeAllConnections()
    http.close()
    await once(http, 'close')
  }
  return { client, server, seen, waits, retries, [Symbol.asyncDispose]: stop }
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  }
}

function problem(
  status: number,
  code: string,
  headers: Record<string, string> = {},
  more: object = {},
): Reply {
  return json(
    status,
    { type: 'about:blank', title: 'T', status, detail: 'D.', code, requestId: 'req_1', ...more },
    { ...headers, 'content-type': 'application/problem+json' },
  )
}

const cutOff: Reply = (response) => response.socket?.destroy()
const noContent: Reply = (response) => response.writeHead(204).end()

test('a call fills in path, query, key and JSON body, and gives the answer', async () => {
  await using peer = await talk([json(200, { id: 'dpl_1', missing: [] })], { key: 'mh_secret' })
  const answer = await peer.client.createDeployment({
    params: { project: 'a/b' },
    query: { activate: 'false' },
    body: { files: {} },
  })
  assert.equal(answer.id, 'dpl_1')
  const [seen] = peer.seen
  assert.equal(`${seen?.method} ${seen?.url}`, 'POST /v1/projects/a%2Fb/deployments?activate=false')
  assert.equal(seen?.headers.authorization, 'Bearer mh_secret')
  assert.equal(seen?.headers['content-type'], 'application/json')
  assert.equal(seen?.body, '{"files":{}}')
})

test('calls without input take none, and an answer without a body is undefined', async () => {
  await using peer = await talk([noContent])
  assert.equal(await peer.client.signOut(), undefined)
  assert.equal(peer.seen[0]?.headers.authorization, undefined)
})

test('files and archives are sent as they are', async () => {
  await using peer = await talk([noContent, noContent, json(201, {})])
  const params = { project: 'p', deployment: 'dpl_1', sha256: 'ab' } as const
  await peer.client.putFile({ params, body: new Uint8Array([104, 105]) })
  await peer.client.putFile({ params, body: new Blob(['ho']) })
  await peer.client.createDeployment({ params, archive: new Blob(['zip']).stream(), type: 'application/zip' })
  assert.deepEqual(
    peer.seen.map(({ body, headers }) => [body, headers['content-type']]),
    [
      ['hi', 'application/octet-stream'],
      ['ho', 'application/octet-stream'],
      ['zip', 'application/zip'],
    ],
  )
})

test('a dot segment cannot turn a call into another one', async () => {
  await using peer = await talk([noContent])
  await assert.rejects(peer.client.deleteProject({ params: { project: '..' } }), RangeError)
  assert.equal(peer.seen.length, 0)
})

test('a DELETE whose answer was lost is done when the server says that nothing is there', async () => {
  const gone = problem(404, 'not_found')
  for (const lost of [cutOff, json(502, {}), json(504, {})]) {
    await using peer = await talk([lost, gone])
    assert.equal(await peer.client.deleteProject({ params: { project: 'p' } }), undefined)
    const params = { project: 'p', hostname: 'www.acme.test' }
    await using other = await talk([lost, gone])
    await assert.rejects(other.client.removeDomain({ params }), LostAnswerError)
  }
  for (const before of [problem(429, 'rate_limited'), problem(503, 'unavailable')]) {
    await using peer = await talk([before, gone])
    await assert.rejects(peer.client.deleteProject({ params: { project: 'p' } }), { code: 'not_found' })
  }
  await using peer = await talk([cutOff, gone])
  await assert.rejects(peer.client.getProject({ params: { project: 'p' } }), { code: 'not_found' })
})

test('a DELETE that ended its own key, session or membership is done when the server knows the caller no more', async () => {
  const unknown = problem(401, 'unauthenticated')
  const known = json(200, { id: 'acc_1' })
  await using revoking = await talk([known, cutOff, unknown])
  await revoking.client.getAccount()
  assert.equal(await revoking.client.revokeKey({ params: { key: 'key_1' } }), undefined)
  await using leaving = await talk([known, cutOff, problem(403, 'wrong_account')])
  await leaving.client.getAccount()
  assert.equal(await leaving.client.leaveAccount({ params: { account: 'acc_1' } }), undefined)
  await using deleting = await talk([known, cutOff, problem(403, 'wrong_account')])
  await deleting.client.getAccount()
  await assert.rejects(deleting.client.deleteAccount({ query: { name: 'Acme' } }), LostAnswerError)
  await using first = await talk([unknown])
  await assert.rejects(first.client.revokeKey({ params: { key: 'key_1' } }), { code: 'unauthenticated' })
  await using other = await talk([known, cutOff, unknown])
  await other.client.getAccount()
  await assert.rejects(other.client.deleteProject({ params: { project: 'p' } }), { code: 'unauthenticated' })
})

test('a DELETE with a key that never worked is not done, although the server was away at first', async () => {
  for (const lost of [cutOff, json(502, {}), json(504, {})]) {
    await using peer = await talk([json(200, { version: '1.0.0' }), lost, problem(401, 'unauthenticated')])
    // Says nothing about the key.
    await peer.client.getServer()
    await assert.rejects(peer.client.revokeKey({ params: { key: 'key_1' } }), { code: 'unauthenticated' })
  }
})

test('a 429 is waited out for as long as it asks, then the call succeeds', async () => {
  await using peer = await talk([
    problem(429, 'rate_limited', { 'retry-after': '7' }),
    json(200, { id: 'prj_1' }),
  ])
  const project = await peer.client.getProject({ params: { project: 'p' } })
  assert.equal(project.id, 'prj_1')
  assert.deepEqual(peer.waits, [7000])
  assert.deepEqual(
    peer.retries.map(({ error: _, ...retry }) => retry),
    [{ endpoint: 'getProject', attempt: 1, waitMs: 7000, isOutage: false }],
  )
})

test('a broken connection is retried, and every attempt of a POST has the same Idempotency-Key', async () => {
  await using peer = await talk([cutOff, problem(503, 'unavailable'), json(201, { id: 'prj_1' })])
  await peer.client.createProject({ body: { slug: 'a' } })
  await peer.client.createProject({ body: { slug: 'b' } })
  const keys = peer.seen.map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 4)
  assert.equal(new Set(keys.slice(0, 3)).size, 1)
  assert.notEqual(keys[0], keys[3])
  assert.deepEqual(peer.waits, [187.5, 375])
})

test('files sent again need no Idempotency-Key, and are sent again without one', async () => {
  await using peer = await talk([cutOff, json(200, { received: 1 })])
  const params = { project: 'p', deployment: 'dpl_1' } as const
  await peer.client.putFiles({ params, archive: new Blob(['tar']), type: 'application/x-tar' })
  assert.deepEqual(
    peer.seen.map(({ body, headers }) => [body, headers['content-type'], headers['idempotency-key']]),
    [
      ['tar', 'application/x-tar', undefined],
      ['tar', 'application/x-tar', undefined],
    ],
  )
})

test('a streamed body is not sent a second time', async () => {
  await using peer = await talk([problem(503, 'unavailable')])
  const params = { project: 'p', deployment: 'dpl_1', sha256: 'ab' } as const
  await assert.rejects(peer.client.putFile({ params, body: new Blob(['x']).stream() }), {
    code: 'unavailable',
  })
  assert.equal(peer.seen.length, 1)
})

test('a code that this client does not know has no fix', async () => {
  await using peer = await talk([problem(418, 'constructor')])
  await assert.rejects(peer.client.getAccount(), { code: 'constructor', fix: '' })
})

test('an error page of something else is told in its own words', async () => {
  const page: Reply = (response) =>
    response.writeHead(404).end('<style>b{}</style><h1>Not\n Found</h1><script>x()</script>')
  await using peer = await talk([page])
  await assert.rejects(peer.client.getAccount(), (error) => {
    assert.ok(error instanceof UnexpectedAnswerError)
    assert.equal(error.status, 404)
    assert.match(error.message, /answered with status 404.*It said "Not Found"$/)
    return true
  })
})

test('a page where JSON should be is refused even with status 200', async () => {
  await using peer = await talk([(response) => response.end('<title>Welcome</title>')])
  await assert.rejects(peer.client.getAccount(), UnexpectedAnswerError)
})

test('JSON of another kind than the endpoint answers is refused', async () => {
  for (const value of [[], null, 'hi', 7]) {
    await using peer = await talk([json(200, value)])
    await assert.rejects(peer.client.getAccount(), UnexpectedAnswerError)
  }
  await using empty = await talk([noContent])
  await assert.rejects(empty.client.getAccount(), UnexpectedAnswerError)
})

test('a call outlasts a restart, and other failures have their own attempts afterwards', async () => {
  const restart = [cutOff, ...Array<Reply>(8).fill(problem(502, 'bad_gateway'))]
  const after = Array<Reply>(4).fill(problem(429, 'rate_limited'))
  await using peer = await talk([...restart, ...after, json(200, { id: 'prj_1' })])
  assert.equal((await peer.client.getProject({ params: { project: 'p' } })).id, 'prj_1')
  assert.equal(peer.seen.length, 14)
})

test('a server that only a proxy answers for is not waited for like one that restarts', async () => {
  const page: Reply = (response) => response.writeHead(502).end('<h1>Bad gateway</h1>')
  await using never = await talk([page], { retry: { unreachedMs: 1_000 } })
  await assert.rejects(never.client.getAccount(), UnexpectedAnswerError)
  assert.equal(never.seen.length, defaultRetryPolicy.attempts)
  const replies = [json(200, {}), ...Array<Reply>(9).fill(page), json(200, {})]
  await using restarted = await talk(replies, { retry: { unreachedMs: 1_000 } })
  await restarted.client.getAccount()
  await restarted.client.getAccount()
  assert.equal(restarted.seen.length, replies.length)
})

test('a server that is not there is named after the last attempt', async () => {
  const peer = await talk([noContent])
  await peer[Symbol.asyncDispose]()
  await assert.rejects(peer.client.getAccount(), (error) => {
    assert.ok(error instanceof ConnectionError)
    assert.equal(error.message, `Could not reach ${peer.server}: is the server running?`)
    return true
  })
  const waitedMs = peer.waits.reduce((sum, ms) => sum + ms, 0)
  assert.ok(waitedMs > 20_000 && waitedMs <= 30_000, String(waitedMs))
})

test('an aborted call ends with the reason, in flight and between attempts', async () => {
  const reason = new Error('enough')
  const aborting = new AbortController()
  await using hanging = await talk([() => aborting.abort(reason)])
  await assert.rejects(hanging.client.getAccount({ signal: aborting.signal }), reason)

  const between = new AbortController()

  await using busy = await talk([problem(503, 'unavailable', { 'retry-after': '60' })], {
    sleep,
    onRetry: () => between.abort(reason),
  })
  await assert.rejects(busy.client.getAccount({ signal: between.signal }), reason)
})

test('a list without an end is left with an error, whatever its cursors are', async () => {
  const endless = (page: (count: number) => unknown) => {
    let count = 0
    return { list: async () => page(++count) as Page<number>, asked: () => count }
  }
  for (const [page, most] of [
    [() => ({ items: [1], next: 'a' }), 2],
    [(count: number) => ({ items: [1], next: String(count % 3) }), 4],
    [(count: number) => ({ items: [], next: String(count) }), 100],
    [(count: number) => ({ items: [1], next: String(count) }), 100_000],
  ] as const) {
    const { list, asked } = endless(page)
    await assert.rejects(listAll(list), EndlessListError)
    assert.ok(asked() <= most, String(asked()))
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import Fastify from 'fastify'
import { startForwarding } from './forwarding.test-kit.ts'

/** Answers with the request it got. */
async function echo(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method, url, headers } = req
  const body = req.readableEnded ? '' : await text(req)
  res.setHeader('Set-Cookie', ['a=1', 'b=2'])
  res.end(JSON.stringify({ method, url, headers, body }))
}

test('method, path, headers and body arrive as they were sent, and so does the answer', async () => {
  await using edge = await startForwarding(echo)
  const headers = { Host: 'dash.example', 'X-Any': 'thing', Connection: 'keep-alive' }
  const answer = await edge.ask({ method: 'PUT', path: '/v1/x?y=%2F', headers }, 'a body')
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
  const seen = JSON.parse(answer.body)
  assert.deepEqual([seen.method, seen.url, seen.body], ['PUT', '/v1/x?y=%2F', 'a body'])
  assert.deepEqual([seen.headers.host, seen.headers['x-any']], ['dash.example', 'thing'])
})

test('answers without a body, to HEAD and as 304, end', async () => {
  await using edge = await startForwarding((req, res) => {
    res.writeHead(req.method === 'HEAD' ? 200 : 304, { 'Content-Length': '5', ETag: '"x"' }).end()
  })
  for (const [method, status] of [
    ['HEAD', 200],
    ['GET', 304],
  ] as const) {
    const answer = await edge.ask({ method })
    assert.deepEqual([answer.status, answer.headers.etag, answer.body], [status, '"x"', ''])
  }
})

test('what looks like a request inside a body stays a body', async () => {
  const urls: string[] = []
  await using edge = await startForwarding((req, res) => {
    urls.push(req.url ?? '')
    void echo(req, res)
  })
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
    const chunked = { 'Transfer-Encoding': 'chunked' }
    assert.equal(JSON.parse((await edge.ask({ method, headers: chunked }, hidden)).body).body, hidden)
    const counted = { 'Content-Length': hidden.length }
    assert.equal(JSON.parse((await edge.ask({ method, headers: counted }, hidden)).body).body, hidden)
  }
  assert.deepEqual(new Set(urls), new Set(['/']))
})

test('a client is identified by its connection, and nothing it sends changes that', async () => {
  const api = Fastify({ trustProxy: ['127.0.0.3'] })
  api.get('/', (request) => `${request.ip} ${request.protocol} ${request.host}`)
  await api.ready()
  await using edge = await startForwarding((req, res) => api.routing(req, res))
  const forged = { Host: 'dash', 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' }
  const from = async (localAddress: string, headers: Record<string, string>) =>
    (await edge.ask({ localAddress, headers })).body

  assert.equal(await from('127.0.0.1', { Host: 'dash' }), '127.0.0.1 http dash')
  assert.equal(await from('127.0.0.2', forged), '127.0.0.2 http dash')
  assert.equal(await from('127.0.0.3', forged), '192.0.2.1 https dash')
  assert.equal(await from('127.0.0.1', forged), '127.0.0.1 http dash')
  await api.close()
})

test('a request has its own connection, which is closed after the answer or when its client leaves', async () => {
  const open = new Set<unknown>()
  await using edge = await startForwarding((req, res) => {
    open.add(req.socket)
    req.socket.once('close', () => open.delete(req.socket))
    if (req.url === '/') res.end('ok')
  })
  const client = await edge.dial()
  for (let count = 0; count < 3; count++) {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(client, 'data')
  }
  await until(() => open.size === 0)
  client.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => open.size > 0)
  client.destroy()
  await until(() => open.size === 0)
})

test('one caller has a share of the forwarded requests, and others still get in', async () => {
  const waiting: ServerResponse[] = []
  await using edge = await startForwarding((_req, res) => void waiting.push(res), { maxConcurrent: 20 })
  const own = Array.from({ length: 10 }, () => edge.ask({ path: '/v1/x' }))
  const refused = await Promise.race(own)
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
  const other = edge.ask({ path: '/v1/x', localAddress: '127.0.0.2' })
  await until(() => waiting.length >= 5)
  for (const res of waiting) res.end()
  assert.equal((await other).status, 200)
  const statuses = (await Promise.all(own)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 4)
})

test('an upload that its client aborts is aborted', async () => {
  const outcome = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  await using edge = await startForwarding((req) => {
    req.once('data', () => begun.resolve())
    req.once('end', () => outcome.resolve('whole'))
    req.once('error', () => outcome.resolve('broken off'))
  })
  const client = await edge.dial()
  client.write('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nsome')
  await begun.promise
  client.destroy()
  assert.equal(await outcome.promise, 'broken off')
})

test('a client that does not read applies backpressure, and ends the answer by leaving', async () => {
  let written = 0
  const stopped = Promise.withResolvers<void>()
  await using edge = await startForwarding((_req, res) => {
    const chunk = Buffer.alloc(64 * 1024)
    const source = new PassThrough()
    const fill = () => {
      while (source.write(chunk)) written += chunk.length
    }
    source.on('drain', fill).pipe(res)
    res.once('close', () => stopped.resolve())
    fill()
  })
  const client = await edge.dial()
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  let before = -1
  while (before !== written || written === 0) {
    before = written
    await sleep(200)
  }
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken in`)
  client.destroy()
  await stopped.promise
})

test('an answer before the end of an upload is forwarded', async () => {
  await using edge = await startForwarding((_req, res) => res.writeHead(413).end('too large'))
  const client = await edge.dial()
  client.write(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n${'x'.repeat(100_000)}`)
  const [answer] = (await once(client, 'data')) as [Buffer]
  assert.match(answer.toString('latin1'), /^HTTP\/1\.1 413 /)
  client.destroy()
})

test('an HTTP/1.0 client gets an answer it can read', async () => {
  await using edge = await startForwarding((_req, res) => {
    res.write('one ')
    res.end('two')
  })
  const client = await edge.dial()
  client.write('GET / HTTP/1.0\r\nHost: a\r\n\r\n')
  const answer = await text(client)
  assert.ok(answer.endsWith('\r\n\r\none two'), answer)
})

test('while the main process is down programs and people get 503, and once it is back they are served', async () => {
  await using edge = await startForwarding(echo)
  await edge.goAway()
  const api = await edge.ask({ path: '/v1/account' })
  assert.equal(api.status, 503)
  assert.equal(api.headers['retry-after'], '1')
  assert.equal(JSON.parse(api.body).code, 'unavailable')
  const page = await edge.ask({ path: '/projects' })
  assert.equal(page.status, 503)
  assert.match(page.body, /cannot be shown right now/)
  assert.equal(edge.warned.length, 2)

  await edge.comeBack()
  assert.equal((await edge.ask({ path: '/v1/account' })).status, 200)
  // The main process counts what it answers.
  assert.deepEqual(edge.responses.byClass(), { '2xx': 0, '3xx': 0, '4xx': 0, '429': 0, '5xx': 2 })
})

test('a truncated answer is never taken for a complete one', async () => {
  await using edge = await startForwarding((_req, res) => void res.write('the first half'))
  const answer = await edge.send({})
  await once(answer, 'data')
  await edge.goAway()
  await assert.rejects(text(answer), /aborted/)
})

test('requests over HTTP/2 are forwarded too', async () => {
  await using edge = await startForwarding(echo)
  const server = createHttp2Server((req, res) =>
    edge.passOn(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  for (const body of ['', 'a body']) {
    const stream = session.request({ ':method': 'POST', ':path': '/v1/x', ':authority': 'dash.example' })
    stream.end(body)
    const [headers] = await once(stream, 'response')
    assert.equal(headers[':status'], 200)
    assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2'])
    const seen = JSON.parse(await text(stream))
    assert.deepEqual(
      [seen.method, seen.url, seen.headers.host, seen.body],
      ['POST', '/v1/x', 'dash.example', body],
    )
  }
  session.close()
  server.close()
})

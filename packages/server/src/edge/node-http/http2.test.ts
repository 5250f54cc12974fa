import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, constants } from 'node:http2'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import Fastify from 'fastify'
import { askStream, siteName, startHttps } from '../https.test-kit.ts'

const large = Buffer.alloc(3 * 1024 ** 2, 'The quick brown fox jumps over the lazy dog. ')

async function startSite(wishes: Parameters<typeof startHttps>[0] = {}) {
  const edge = await startHttps(wishes)
  await edge.publish('hello', { '/index.html': 'front', '/about.html': 'about', '/large': large })
  await edge.certify(siteName, 'localhost')
  return edge
}

describe('over HTTP/2', () => {
  test('many requests share a connection, cold and warm, small and large', async () => {
    await using edge = await startSite()
    const session = edge.openSession()
    const paths = Array.from({ length: 60 }, (_, n) => ['/', '/about', '/large', '/missing'][n % 4] ?? '/')
    const answers = await Promise.all(paths.map((path) => askStream(session, path)))
    for (const [n, { status, body }] of answers.entries()) {
      assert.equal(status, n % 4 === 3 ? 404 : 200)
      if (n % 4 === 2) assert.ok(body.equals(large))
    }
    assert.equal(edge.listener.handshakes.completed, 1)
  })

  test('HEAD and 304 have no content, a range has its part', async () => {
    await using edge = await startSite()
    const session = edge.openSession()
    const head = await askStream(session, '/', { ':method': 'HEAD' })
    assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, '5', 0])
    const again = await askStream(session, '/', { 'if-none-match': String(head.headers.etag) })
    assert.deepEqual([again.status, again.body.length], [304, 0])
    const part = await askStream(session, '/large', { range: 'bytes=4-8' })
    assert.deepEqual([part.status, part.body.toString()], [206, 'quick'])
  })

  test('a body sent to a site is not waited for', async () => {
    await using edge = await startSite()
    const session = edge.openSession()
    const stream = session.request({ ':method': 'POST', ':path': '/' })
    stream.on('error', () => {})
    stream.write('the first of many words')
    const [headers] = await once(stream, 'response')
    assert.equal(headers[':status'], 405)
    stream.resume()
    await once(stream, 'close')
    assert.equal((await askStream(session, '/')).status, 200)
  })

  test('a request that names two hosts, another scheme or no path is refused', async () => {
    await using edge = await startSite()
    const session = edge.openSession()
    for (const name of [siteName, 'localhost']) {
      const opened = name === siteName ? session : edge.openSession(name)
      for (const [headers, said] of [
        [{ ':authority': name, host: 'other.example' }, /name different hosts/],
        [{ ':scheme': 'http' }, /names another scheme/],
      ] as [Record<string, string>, RegExp][]) {
        const { status, body } = await askStream(opened, '/', headers)
        assert.equal(status, 400)
        assert.match(String(body), said)
      }
      const head = await askStream(opened, '/', { ':method': 'HEAD', ':scheme': 'http' })
      assert.deepEqual([head.status, head.body.length], [400, 0])
    }
    await assert.rejects(askStream(session, 'about'), /NGHTTP2_PROTOCOL_ERROR/)
    assert.equal((await askStream(session, '/', { ':authority': siteName, host: siteName })).status, 200)
  })

  test('a large file is not read further when the visitor leaves', async () => {
    await using edge = await startSite()
    await edge.publish('hello', { '/huge': Buffer.alloc(32 * 1024 ** 2) })
    const stream = edge.openSession().request({ ':path': '/huge' })
    await once(stream, 'response')
    const file = edge.files.at(-1) ?? assert.fail()
    stream.close(constants.NGHTTP2_CANCEL)
    await until(() => file.closed)
    assert.ok(file.bytesRead < 1024 ** 2, `${file.bytesRead} bytes were read`)
  })

  test('missing content gets 503', async () => {
    await using edge = await startSite()
    for (const file of (
      await edge.publish('hello', { '/small': 'small', '/huge': large })
    ).manifest.values()) {
      await edge.store.remove({ accountId: 'acc_1', sha256: file.sha256, encoding: undefined })
    }
    const session = edge.openSession()
    for (const path of ['/small', '/huge']) assert.equal((await askStream(session, path)).status, 503)
  })
})

describe('the dashboard and the API over HTTP/2', () => {
  test('are what they are over HTTP/1.1', async () => {
    const app = Fastify()
    app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
    app.get('/v1/who', (request) => ({ host: request.host, protocol: request.protocol, ip: request.ip }))
    app.post('/v1/echo', (request) => request.body)
    app.delete('/v1/echo', (request) => request.headers['content-length'] ?? null)
    app.post('/v1/upload', async (request, reply) => {
      let length = 0
      for await (const chunk of request.body as AsyncIterable<Buffer>) length += chunk.length
      return reply.code(201).header('set-cookie', ['a=1', 'b=2']).send({ length })
    })
    await app.ready()
    await using edge = await startSite({ edge: { platform: (req, res) => app.routing(req, res) } })
    const session = edge.openSession('localhost')
    const host = `localhost:${edge.port}`
    const who = await askStream(session, '/v1/who')
    assert.deepEqual(JSON.parse(String(who.body)), { host, protocol: 'https', ip: '127.0.0.1' })
    const said = JSON.stringify({ a: [1, 'é'] })
    const json = { ':method': 'POST', 'content-type': 'application/json' }
    const echo = await askStream(session, '/v1/echo', json, said)
    assert.equal(String(echo.body), said)
    assert.equal((await askStream(session, '/v1/echo', json, '{')).status, 400)
    const without = await askStream(session, '/v1/echo', { ':method': 'DELETE' })
    assert.deepEqual([without.status, String(without.body)], [200, '0'])
    const binary = { ':method': 'POST', 'content-type': 'application/octet-stream' }
    const upload = await askStream(session, '/v1/upload', binary, large)
    assert.deepEqual([upload.status, String(upload.body)], [201, JSON.stringify({ length: large.length })])
    assert.deepEqual(upload.headers['set-cookie'], ['a=1', 'b=2'])
    for (const expect of ['100-continue', '100-Continue']) {
      const waiting = session.request({ ...binary, ':path': '/v1/upload', expect }, { endStream: false })
      let isAsked = false
      waiting.once('continue', () => {
        isAsked = true
      })
      await until(() => isAsked)
      waiting.end(large)
      const [answer] = await once(waiting, 'response')
      assert.equal(answer[':status'], 201, expect)
      waiting.resume()
    }
    assert.equal((await askStream(session, '/missing')).status, 404)
    await app.close()
  })
})

describe('a hostile HTTP/2 client', () => {
  test('that resets stream after stream is disconnected', async () => {
    await using edge = await startSite({ listener: { sessionLimits: { resetBurst: 20, resetRate: 1 } } })
    const session = edge.openSession()
    await askStream(session, '/')
    const goodbye = once(session, 'goaway')
    for (let n = 0; n < 200 && !session.destroyed && !session.closed; n++) {
      const stream = session.request({ ':path': '/large' })
      stream.on('error', () => {})
      stream.close(constants.NGHTTP2_CANCEL)
      if (n % 10 === 0) await setImmediate()
    }
    assert.equal((await goodbye)[0], constants.NGHTTP2_ENHANCE_YOUR_CALM)
    await gone(edge, session)
  })

  test('that resets everything at once is disconnected with the same error', async () => {
    await using edge = await startSite({ listener: { sessionLimits: { resetBurst: 20, resetRate: 1 } } })
    const session = edge.openSession()
    await askStream(session, '/')
    const goodbye = once(session, 'goaway')
    for (let n = 0; n < 90; n++) {
      const stream = session.request({ ':path': '/large' })
      stream.on('error', () => {})
      stream.close(constants.NGHTTP2_CANCEL)
    }
    assert.equal((await goodbye)[0], constants.NGHTTP2_ENHANCE_YOUR_CALM)
    await gone(edge, session)
  })

  test('that resets as much as a person might stays connected', async () => {
    await using edge = await startSite({ listener: { sessionLimits: { resetBurst: 20, resetRate: 1 } } })
    const session = edge.openSession()
    await askStream(session, '/')
    for (let n = 0; n < 20; n++) {
      const stream = session.request({ ':path': '/large' })
      stream.on('error', () => {})
      await once(stream, 'response')
      stream.close(constants.NGHTTP2_CANCEL)
    }
    assert.equal((await askStream(session, '/')).status, 200)
  })

  test('that does not read its answer, or does not send its body, is cancelled', async () => {
    const ended = Promise.withResolvers<void>()
    await using edge = await startSite({
      edge: {
        streamLimits: { idleTimeout: 500, requestTimeout: 60_000 },
        platform: (_req, res) => res.once('close', ended.resolve),
      },
      // Longer than a busy machine delays a ping, or the connection would be idle.
      listener: { limits: { idleTimeout: 10_000 } },
    })
    await edge.publish('hello', { '/huge': Buffer.alloc(32 * 1024 ** 2) })
    const [site, dashboard] = [edge.openSession(), edge.openSession('localhost')]
    const taken = site.request({ ':path': '/huge' })
    const sent = dashboard.request({ ':method': 'POST', ':path': '/v1' }, { endStream: false })
    for (const stream of [taken, sent]) stream.on('error', () => {})
    // What moves on the connection does not make up for it.
    const pings = setInterval(() => {
      for (const session of [site, dashboard]) session.ping(() => {})
    }, 20)
    await once(taken, 'response')
    const file = edge.files.at(-1) ?? assert.fail()
    await Promise.all([ended.promise, once(taken, 'close')])
    clearInterval(pings)
    assert.equal(taken.rstCode, constants.NGHTTP2_CANCEL)
    await until(() => file.closed)
    assert.ok(file.bytesRead < 1024 ** 2, `${file.bytesRead} bytes were read`)
  })

  test('that sends an oversized head is refused', async () => {
    await using edge = await startSite()
    for (const headers of [
      { long: 'x'.repeat(20_000) },
      Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`x-${n}`, 'y'])),
    ]) {
      const session = edge.openSession()
      // Limits hold from when the client has heard of them.
      await askStream(session, '/')
      assert.equal((await askStream(session, '/', headers)).status, 431)
      assert.equal((await askStream(session, '/')).status, 200)
    }
    assert.equal((await askStream(edge.openSession(), '/')).status, 200)
  })

  test('that does not speak HTTP/2 is closed', async () => {
    await using edge = await startSite()
    const socket = await edge.dial(siteName, { ALPNProtocols: ['h2'] })
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    socket.resume()
    await once(socket, 'close')
    while (edge.listener.connections() > 0) await setImmediate()
  })
})

async function gone(
  edge: Awaited<ReturnType<typeof startHttps>>,
  session: ClientHttp2Session,
): Promise<void> {
  if (!session.destroyed) await once(session, 'close')
  while (edge.listener.connections() > 0) await setImmediate()
}

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { frame, halfOpen } from './http2/frames/frames.test-kit.ts'
import { frameTypes, preface } from './http2/frames/protocol.ts'
import { askStream, siteName, startHttps } from './https.test-kit.ts'

const acme = 'www.acme.com'
const close = 'Connection: close\r\n'
const get = (host: string, path = '/', fields = '') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`

async function startSites(wishes: Parameters<typeof startHttps>[0] = {}) {
  const edge = await startHttps(wishes)
  await edge.publish('hello', { '/index.html': 'front', '/large': Buffer.alloc(2_000_000, 'x') })
  edge.routes.set(acme, { kind: 'site', slug: 'hello' })
  await edge.certify(siteName, acme, 'localhost')
  return edge
}

describe('an HTTPS port', () => {
  test('shows a site over HTTP/1.1 and HTTP/2', async () => {
    await using edge = await startSites()
    assert.match(await edge.exchange(get(`${siteName}:8443`, '/', close)), /^HTTP\/1\.1 200 OK\r\n.*front$/s)
    assert.ok((await edge.exchange(get(siteName, '/large', close))).length > 2_000_000)
    const session = edge.openSession(acme)
    const front = await askStream(session, '/')
    assert.deepEqual([front.status, front.body.toString()], [200, 'front'])
    assert.equal((await askStream(session, '/large')).body.length, 2_000_000)
    assert.deepEqual([edge.listener.handshakes.completed, edge.listener.handshakes.failed], [3, 0])
  })

  for (const version of ['--http1.0', '--http1.1', '--http2']) {
    test(`is trusted by curl (${version})`, { skip: skipWithout('curl') }, async () => {
      await using edge = await startSites()
      const { stdout } = await promisify(execFile)(requirePeer('curl'), [
        ...['--silent', '--show-error', '--noproxy', '*', '--cacert', edge.rootFile, version],
        ...[
          '--resolve',
          `${acme}:${edge.port}:127.0.0.1`,
          '--write-out',
          ' %{http_version} %{ssl_verify_result}',
        ],
        `https://${acme}:${edge.port}/`,
      ])
      assert.equal(stdout, `front ${version === '--http2' ? '2' : '1.1'} 0`)
    })
  }

  test('forwards a large body byte for byte', async () => {
    const received = Promise.withResolvers<Buffer>()
    await using edge = await startSites({
      edge: {
        platform: async (req, res) => {
          received.resolve(await buffer(req))
          res.end('taken')
        },
      },
    })
    const socket = await edge.dial('localhost')
    const body = randomBytes(3_000_000)
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body)
    assert.ok((await received.promise).equals(body))
    assert.match(String((await once(socket, 'data'))[0]), /taken/)
    socket.destroy()
  })

  test('answers every pipelined request once to a client that reads late', async () => {
    await using edge = await startSites()
    await edge.publish('hello', { '/file': Buffer.alloc(400_000, 'x') })
    const socket = await edge.dial(siteName)
    socket.pause()
    socket.write(get(siteName, '/file').repeat(60))
    while (edge.calls.read === 0) await setImmediate()
    for (let time = 0; time < 3; time++) socket.write(get(siteName, '/file'))
    socket.write(get(siteName, '/file', close))
    const text = (await buffer(socket)).toString('latin1')
    assert.equal(text.split('HTTP/1.1 200 OK').length - 1, 64)
    assert.equal(text.match(/x{400000}/g)?.length, 64)
  })

  test('answers 421 if the request is for another name than the handshake', async () => {
    await using edge = await startSites()
    for (const host of [acme, 'localhost', 'masthead.localhost', '127.0.0.1', 'nobody.example']) {
      const answer = await edge.exchange(get(host), siteName)
      assert.match(answer, /^HTTP\/1\.1 421 Misdirected Request\r\n.*\r\nConnection: close\r\n/s)
    }
    const session = edge.openSession()
    const other = await askStream(session, '/', { ':authority': acme })
    assert.equal(other.status, 421)
    assert.equal((await askStream(session, '/')).status, 200)
  })

  test('refuses a stopped domain on open connections', async () => {
    await using edge = await startSites()
    const session = edge.openSession(acme)
    const socket = await edge.dial(acme)
    assert.equal((await askStream(session, '/')).status, 200)
    socket.write(get(acme))
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200/)
    edge.routes.delete(acme)
    edge.edge.changed({ hostname: acme, stopped: true })
    assert.equal((await askStream(session, '/')).status, 404)
    socket.write(get(acme))
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 404/)
    socket.destroy()
  })

  test('sends HSTS if the project requires it, and only over HTTPS', async () => {
    await using edge = await startSites()
    await edge.publish('hello', { '/index.html': 'front', '/404.html': 'gone' }, { hstsMaxAge: 31_536_000 })
    const hsts = /\r\nStrict-Transport-Security: max-age=31536000\r\n/
    for (const path of ['/', '/', '/missing', '/index.html']) {
      assert.match(await edge.exchange(get(siteName, path, close)), hsts)
      assert.doesNotMatch(await plainly(edge.plainPort, get(siteName, path, close)), hsts)
    }
    const { headers } = await askStream(edge.openSession(), '/')
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
  })

  test('sends HSTS with redirects to another host too', async () => {
    await using edge = await startSites()
    const leads = { to: acme, status: 301, hstsMaxAge: 31_536_000 } as const
    await edge.publish('hello', { '/index.html': 'front' }, { redirect: leads })
    edge.routes.set('acme.com', { kind: 'redirect', slug: 'hello', ...leads })
    await edge.certify('acme.com')
    for (const host of ['acme.com', siteName]) {
      const secured = await edge.exchange(get(host, '/', close), host)
      assert.match(secured, /^HTTP\/1\.1 301 /)
      assert.match(secured, /\r\nStrict-Transport-Security: max-age=31536000\r\n/)
      const { status, headers } = await askStream(edge.openSession(host), '/')
      assert.deepEqual([status, headers['strict-transport-security']], [301, 'max-age=31536000'])
      const plain = await plainly(edge.plainPort, get(host, '/', close))
      assert.match(plain, /^HTTP\/1\.1 301 /)
      assert.doesNotMatch(plain, /Strict-Transport-Security/)
    }
  })

  test('closes idle connections of either protocol', async () => {
    await using edge = await startSites({
      listener: { limits: { idleTimeout: 1000 } },
    })
    const socket = await edge.dial(siteName)
    socket.resume()
    socket.write(get(siteName))
    const session = edge.openSession()
    await askStream(session, '/')
    // Pings are not requests, so they do not count.
    const pings = setInterval(() => session.destroyed || session.ping(() => {}), 20)
    // A ping that comes too late is answered by a reset.
    const ended = Promise.withResolvers<void>()
    session.once('close', ended.resolve)
    await Promise.all([once(socket, 'close'), ended.promise])
    clearInterval(pings)
    while (edge.listener.connections() > 0) await setImmediate()
  })

  test('does not close a connection with a slow download', async () => {
    await using edge = await startSites({
      listener: { limits: { idleTimeout: 2000 } },
    })
    // More than the buffers of two sockets, so that it cannot all be sent before it is read.
    const huge = 16 * 1024 ** 2
    await edge.publish('hello', { '/huge': Buffer.alloc(huge) })
    const socket = await edge.dial(siteName)
    socket.write(get(siteName, '/huge', close))
    const stream = edge.openSession().request({ ':path': '/huge' })
    const [overHttp1, overHttp2] = await Promise.all([takeSlowly(socket), takeSlowly(stream)])
    assert.ok(overHttp1 > huge)
    assert.equal(overHttp2, huge)
  })

  test('finishes running requests when it closes, and accepts nothing new', async () => {
    await using edge = await startSites()
    const session = edge.openSession()
    const idle = await edge.dial(siteName)
    idle.resume()
    const half = await edge.dialTcp()
    half.resume()
    await askStream(session, '/')
    const stream = session.request({ ':path': '/large' })
    await once(stream, 'response')
    const closed = edge.listener.close(10_000)
    let length = 0
    for await (const chunk of stream) length += chunk.length
    assert.equal(length, 2_000_000)
    await closed
    await assert.rejects(edge.dial(siteName), /ECONNREFUSED/)
  })

  test('tells HTTP/2 clients which requests were accepted when it closes, and waits for no others', async () => {
    await using edge = await startSites()
    const [idle, busy] = [edge.openSession(), edge.openSession()]
    await Promise.all([askStream(idle, '/'), askStream(busy, '/')])
    const running = busy.request({ ':path': '/large' })
    await once(running, 'response')
    const goAways = Promise.all([once(idle, 'goaway'), once(busy, 'goaway')])
    const closed = edge.listener.close(600_000)
    // The first says that it ends, the next which requests were accepted (RFC 9113, 6.8).
    const all = 0x7fff_ffff
    assert.deepEqual(
      (await goAways).map(([code, lastStream]) => [code, lastStream]),
      [
        [0, all],
        [0, all],
      ],
    )
    assert.equal((await buffer(running)).length, 2_000_000)
    await closed
  })

  test('does not wait for a client that keeps its side open after the HTTP/2 session ended', async () => {
    await using edge = await startSites()
    const socket = await edge.dial(siteName, halfOpen)
    socket.write(preface)
    socket.write(frame({ type: frameTypes.settings }))
    socket.resume()
    await once(socket, 'data')
    await edge.listener.close(600_000)
    while (edge.listener.connections() > 0) await setImmediate()
  })

  test('closes what does not finish in time', async () => {
    await using edge = await startSites()
    const stream = edge.openSession().request({ ':path': '/large' })
    stream.on('error', () => {})
    await once(stream, 'response')
    await edge.listener.close(50)
    while (edge.listener.connections() > 0) await setImmediate()
  })
})

/** Pauses after pieces: a pause after every chunk would be many, each far longer on a busy machine. */
async function takeSlowly(stream: Readable): Promise<number> {
  let length = 0
  let piece = 0
  for await (const chunk of stream) {
    length += chunk.length
    piece += chunk.length
    if (piece < 256 * 1024) continue
    piece = 0
    await sleep(50)
  }
  return length
}

async function plainly(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

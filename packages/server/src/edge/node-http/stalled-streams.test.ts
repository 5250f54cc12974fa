import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { askStream, siteName, startHttps } from '../https.test-kit.ts'

const idleTimeout = 400

async function startSite(more: Parameters<typeof startHttps>[0] = {}) {
  const edge = await startHttps({ listener: { limits: { idleTimeout } }, ...more })
  await edge.publish('hello', { '/index.html': 'front', '/medium': Buffer.alloc(256 * 1024, 'x') })
  await edge.certify(siteName, 'localhost')
  return edge
}

/** A session that only reads the head of an answer, and keeps sending pings. */
async function takeNothing(session: ClientHttp2Session) {
  session.settings({ initialWindowSize: 0 })
  await once(session, 'localSettings')
  const pings = setInterval(() => session.destroyed || session.ping(() => {}), 20)
  session.once('close', () => clearInterval(pings))
  return session
}

async function endOf(stream: ClientHttp2Stream): Promise<number> {
  stream.on('error', () => {})
  stream.resume()
  if (!stream.closed) await once(stream, 'close')
  return stream.rstCode
}

describe('an answer that nobody reads is cancelled, whatever else happens on the connection', () => {
  test('be it small or large', async () => {
    await using edge = await startSite()
    const session = await takeNothing(edge.openSession())
    const streams = ['/', '/medium', '/missing'].map((path) => session.request({ ':path': path }))
    assert.deepEqual(await Promise.all(streams.map(endOf)), Array(3).fill(constants.NGHTTP2_CANCEL))
  })

  test('be it of the dashboard or the API', async () => {
    await using edge = await startSite()
    const session = await takeNothing(edge.openSession('localhost'))
    assert.equal(await endOf(session.request({ ':path': '/v1' })), constants.NGHTTP2_CANCEL)
  })
})

test('a request that is not complete in time is cancelled, however steadily it arrives', async () => {
  await using edge = await startSite({
    edge: {
      streamLimits: { idleTimeout: 60_000, requestTimeout: 300 },
      platform: (req, res) => req.resume().once('end', () => res.end()),
    },
  })
  const session = edge.openSession('localhost')
  const post = { ':method': 'POST', ':path': '/v1' }
  const stream = session.request(post, { endStream: false })
  const dribble = setInterval(() => stream.destroyed || stream.write('x'), 10)
  assert.equal(await endOf(stream), constants.NGHTTP2_CANCEL)
  clearInterval(dribble)
  assert.equal((await askStream(session, '/v1', { ':method': 'POST' }, 'all at once')).status, 200)
})

test('a complete request may be answered after its deadline', async () => {
  await using edge = await startSite({
    edge: {
      streamLimits: { idleTimeout: 60_000, requestTimeout: 100 },
      platform: (req, res) =>
        req.resume().once('end', async () => {
          await sleep(300)
          res.end('late')
        }),
    },
  })
  const answer = await askStream(edge.openSession('localhost'), '/v1', { ':method': 'POST' }, 'all at once')
  assert.equal(String(answer.body), 'late')
})

test('a slow reader gets its answer, piece by piece', async () => {
  const slow = 3_000
  await using edge = await startSite({ listener: { limits: { idleTimeout: slow } } })
  const stream = edge.openSession().request({ ':path': '/medium' })
  let length = 0
  let rested = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length < rested + 64 * 1024) continue
    rested = length
    await sleep(slow / 2)
  }
  assert.equal(length, 256 * 1024)
})

test('an answer written at once gets more time, the larger it is', async () => {
  const size = 256 * 1024
  await using edge = await startSite({ edge: { platform: (_req, res) => res.end(Buffer.alloc(size)) } })
  const session = edge.openSession('localhost')
  session.settings({ initialWindowSize: 0 })
  await once(session, 'localSettings')
  const stream = session.request({ ':path': '/' })
  await once(stream, 'response')
  await sleep(2 * idleTimeout)
  session.settings({ initialWindowSize: 1024 ** 2 })
  let length = 0
  for await (const chunk of stream) length += chunk.length
  assert.equal(length, size)
})

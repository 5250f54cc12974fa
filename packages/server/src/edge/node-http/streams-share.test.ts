import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, constants } from 'node:http2'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { askStream, siteName, startHttps } from '../https.test-kit.ts'

const maxTotal = 50

async function startSite() {
  const edge = await startHttps({ listener: { sessionLimits: { maxTotalStreams: maxTotal } } })
  await edge.publish('hello', { '/index.html': Buffer.alloc(100_000, 'x') })
  await edge.certify(siteName)
  return edge
}

/** Asks for a hundred answers and takes none of them; tells how many were refused once all is said. */
async function stall(session: ClientHttp2Session): Promise<() => number> {
  session.settings({ initialWindowSize: 0 })
  await once(session, 'localSettings')
  let refused = 0
  for (let n = 0; n < 100; n++) {
    const stream = session.request({ ':path': '/' }).on('error', () => {})
    stream.once('close', () => {
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) refused++
    })
  }
  return () => refused
}

test('a client that does not read has a share of all streams, over all its connections', async () => {
  await using edge = await startSite()
  const sessions = [edge.openSession(), edge.openSession()]
  const refusals = await Promise.all(sessions.map(stall))
  const refused = () => refusals.reduce((total, count) => total + count(), 0)
  await until(() => refused() >= 200 - maxTotal / 5)

  // Another address is answered meanwhile, and this one again once it has let go.
  const other = await edge.dial(siteName, {
    localAddress: '127.0.0.2',
    ALPNProtocols: ['http/1.1'],
  } as object)
  other.write(`GET / HTTP/1.1\r\nHost: ${siteName}\r\n\r\n`)
  await once(other, 'data')
  other.destroy()
  assert.equal(refused(), 200 - maxTotal / 5)
  for (const session of sessions) session.destroy()
  await until(() => edge.listener.connections() === 0)
  assert.equal((await askStream(edge.openSession(), '/')).status, 200)
})

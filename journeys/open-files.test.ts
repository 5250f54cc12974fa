import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectSecurely } from 'node:tls'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'

const limit = 1024
const site = 'acme.masthead.localhost'
/** Too large for the cache, so it is read from disk while it is sent. */
const large = 'large'.repeat(400_000)

/** Silent connections from ten addresses. */
async function openIdle(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, (_, n) =>
    connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${1 + (n % 10)}` }).on('error', () => {}),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => {})))
  return sockets
}

/** An HTTP/2 client that requests a hundred files and hardly reads them. */
async function openStalled(port: number, root: string, localAddress: string): Promise<ClientHttp2Session> {
  const options = { port, host: '127.0.0.1', localAddress, servername: site, ca: root, ALPNProtocols: ['h2'] }
  const session = connectHttp2(`https://${site}:${port}`, {
    createConnection: () => connectSecurely(options),
    settings: { initialWindowSize: 1000 },
  })
  session.on('error', () => {})
  await once(session, 'connect').catch(() => {})
  for (let n = 0; n < 100 && !session.destroyed; n++) {
    session.request({ ':authority': site, ':path': '/large.bin' }).on('error', () => {})
  }
  return session
}

test('with 1,024 descriptors, neither idle connections nor unread downloads lock anybody out', {
  timeout: 300_000,
}, async () => {
  await using masthead = await MastheadProcess.start({
    under: ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh'],
    apiHost: '127.0.0.1',
  })
  const publisher = await createPublisher(masthead)
  await publisher.createProject('acme')
  await publisher.publishArchive('acme', tarGz({ 'index.html': 'front', 'large.bin': large }))
  const root = await createClient({ server: masthead.origin, key: publisher.key }).getCaRoot()

  const idle = await Promise.all([openIdle(masthead.httpPort, 1300), openIdle(masthead.httpsPort, 700)])
  const addresses = Array.from({ length: 20 }, (_, n) => `127.0.2.${1 + (n % 4)}`)
  const stalled = await Promise.all(addresses.map((from) => openStalled(masthead.httpsPort, root, from)))
  try {
    // Small and large, and a change that needs the database and new files.
    for (let n = 0; n < 5; n++) {
      assert.deepEqual(await visit(masthead, 'acme', '/'), { status: 200, body: 'front' })
      assert.equal((await visit(masthead, 'acme', '/large.bin')).body, large)
      await publisher.publishArchive(
        'acme',
        tarGz({ 'index.html': 'front', 'large.bin': large, n: String(n) }),
      )
    }
    assert.ok((await masthead.descriptors()) < limit)
  } finally {
    for (const session of stalled) session.destroy()
    for (const socket of idle.flat()) socket.destroy()
  }
  // Closed connections hold nothing.
  await until(async () => (await masthead.descriptors()) <= 100)
})

test('three times as many short HTTP/2 connections from one address as its share are all accepted', {
  timeout: 300_000,
}, async () => {
  await using masthead = await MastheadProcess.start({
    under: ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh'],
    apiHost: '127.0.0.1',
  })
  const publisher = await createPublisher(masthead)
  await publisher.createProject('acme')
  await publisher.publishArchive('acme', tarGz({ 'index.html': 'front' }))
  const root = await createClient({ server: masthead.origin, key: publisher.key }).getCaRoot()
  for (let n = 0; n < 200; n++) {
    const session = connectHttp2(`https://127.0.0.1:${masthead.httpsPort}`, { servername: site, ca: root })
    await once(session, 'connect')
    const stream = session.request({ ':authority': site, ':path': '/' }).resume()
    const [{ ':status': status }] = await once(stream, 'response')
    assert.equal(status, 200)
    session.destroy()
  }
})

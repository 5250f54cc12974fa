import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { describe, test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import { listenForChanges, listenOverHttp2 } from '@masthead/testing/clients/change-listener.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { createAccount } from './tenant.ts'

/** The maximum for one key, all over one connection. */
const maxStreams = 20

async function checkLiveUpdates(workers: number): Promise<void> {
  await using masthead = await MastheadProcess.start({ env: { MASTHEAD_WORKERS: String(workers) } })
  const { key } = await createAccount(masthead, 'business')
  const client = createClient({ server: masthead.origin, key: key.secret })
  const headers = { authorization: `Bearer ${key.secret}` }
  const other = await createAccount(masthead, 'business')

  // Each change arrives while the streams stay open: nothing in between buffers.
  await using plain = await listenForChanges(masthead.origin, headers)
  const host = `localhost:${masthead.httpsPort}`
  const session = connect(`https://${host}`, { ca: await client.getCaRoot() })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => session.destroy())
  await once(session, 'connect')
  await using secure = await listenOverHttp2(session, host, headers)
  await using outside = await listenForChanges(masthead.origin, {
    authorization: `Bearer ${other.key.secret}`,
  })
  for (const stream of [plain, secure, outside]) {
    assert.equal(stream.headers.get('content-type'), 'text/event-stream')
    await stream.toldTimes(1)
  }
  for (let times = 2; times <= 4; times++) {
    await client.createProject({ body: { slug: `site-${times}` } })
    for (const stream of [plain, secure]) await stream.toldTimes(times)
  }
  assert.deepEqual(outside.told, ['hello'])

  // Streams leave room for other requests on their connection.
  for (let count = 2; count < maxStreams; count++) {
    const stream = stack.use(await listenOverHttp2(session, host, headers))
    assert.equal(stream.status, 200)
  }
  const beyond = await fetch(`${masthead.origin}/v1/stream`, { headers })
  assert.equal(beyond.status, 429)
  const request = session.request({ ':authority': host, ':path': '/v1/whoami', ...headers })
  const [{ ':status': status }] = await once(request, 'response')
  assert.equal(status, 200)
  request.destroy()

  // Stopping the server does not wait for streams, and they end cleanly.
  await Promise.all([masthead.kill('SIGTERM'), plain.ended, secure.ended, outside.ended])
}

describe('changes are pushed live', { timeout: 300_000 }, () => {
  test('by one process', () => checkLiveUpdates(1))
  test('through edge processes', () => checkLiveUpdates(2))
})

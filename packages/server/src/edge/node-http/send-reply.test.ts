import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import { startEdge } from '../edge.test-kit.ts'

const large = Buffer.alloc(3 * 1024 ** 2, 'The quick brown fox jumps over the lazy dog. ')

test('pipelined requests are answered in order, including cold and streamed ones', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'front', '/small': 'small', '/large': large })
  const get = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: hello.masthead.localhost\r\n${more}\r\n`
  const range = 'Range: bytes=0-8\r\n'
  const answer = await edge.exchange(
    get('/large', range) +
      get('/') +
      get('/large', range) +
      get('/small') +
      get('/', 'Connection: close\r\n'),
  )
  const bodies = answer
    .split(/HTTP\/1\.1 \d+ [^\r]+\r\n/)
    .slice(1)
    .map((one) => one.split('\r\n\r\n')[1])
  assert.deepEqual(bodies, ['The quick', 'front', 'The quick', 'small', 'front'])
})

test('a large file is not read further when the visitor leaves', async () => {
  await using edge = await startEdge()
  // More than the buffers of two sockets can hold, so that the file cannot have been read to its end.
  const huge = Buffer.alloc(32 * 1024 ** 2)
  await edge.publish('hello', { '/huge': huge })
  const socket = await edge.dial()
  socket.write('GET /huge HTTP/1.1\r\nHost: hello.masthead.localhost\r\n\r\n')
  await once(socket, 'readable')
  const file = edge.files.at(-1)
  assert.ok(file)
  socket.destroy()
  await until(() => file.closed)
  assert.ok(file.bytesRead < huge.length)
  assert.equal((await edge.ask('/huge')).body.length, huge.length)
})

test('a visitor who leaves before the site is loaded causes no read', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/large': large })
  const answers = Promise.withResolvers<void>()
  edge.database.answers = answers.promise
  const socket = await edge.dial()
  socket.write('GET /large HTTP/1.1\r\nHost: hello.masthead.localhost\r\n\r\n')
  while (edge.calls.find === 0) await setImmediate()
  // A client that only ends its side still wants its answer.
  socket.resetAndDestroy()
  while (edge.listener.connections() > 0) await setImmediate()
  answers.resolve()
  assert.equal((await edge.ask('/', {}, 'HEAD')).status, 404)
  assert.equal(edge.calls.open, 0)
})

test('unreadable content gets a complete error answer, and is logged', async () => {
  await using edge = await startEdge()
  const { manifest } = await edge.publish('hello', { '/small': 'x', '/large': large })
  for (const { sha256 } of manifest.values()) await edge.store.remove({ accountId: 'acc_1', sha256 })
  for (const path of ['/small', '/large']) {
    const { status, headers } = await edge.ask(path)
    assert.deepEqual([status, headers['retry-after']], [503, '5'])
  }
  assert.equal(edge.logged.length, 2)
})

test('content that ends early closes the connection, so that nobody takes it for complete', async () => {
  await using edge = await startEdge()
  const { record, manifest } = await edge.publish('hello', { '/large': large })
  const file = manifest.get('/large')
  assert.ok(file)
  edge.sites.set('hello', { record, manifest: new Map([['/large', { ...file, size: file.size + 1 }]]) })
  await assert.rejects(edge.ask('/large'), { code: 'ECONNRESET' })
  assert.equal(edge.logged.length, 1)
})

test('a header that cannot be written causes a 503, not a crash', async () => {
  await using edge = await startEdge({}, 'both', { dashboardUrl: 'http://localhost/\n' })
  assert.equal((await edge.ask('/', { host: 'masthead.localhost' })).status, 503)
  assert.equal(edge.logged.length, 1)
  const head = 'HEAD / HTTP/1.1\r\nHost: masthead.localhost\r\nConnection: close\r\n\r\n'
  assert.match(await edge.exchange(head), /^HTTP\/1\.1 503 .*\r\n\r\n$/s)
})

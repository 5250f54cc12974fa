import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

test('a warm request reads neither the database nor the file system', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'front', '/404.html': 'no' }, { encoded: true })
  const visitAll = async () => {
    for (const path of ['/', '/index.html', '/missing']) {
      await edge.ask(path)
      await edge.ask(path, { 'accept-encoding': 'br' })
      await edge.ask(path, { range: 'bytes=0-1' })
    }
    await edge.ask('/', { host: 'nobody.masthead.localhost' })
  }
  await visitAll()
  const cold = { ...edge.calls }
  assert.deepEqual(cold, { find: 2, manifest: 1, route: 0, read: 4, open: 0 })
  await visitAll()
  assert.deepEqual(edge.calls, cold)
})

test('a new deployment is served completely from the change on', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'old', '/old': 'x' })
  assert.equal((await edge.ask('/')).body.toString(), 'old')
  await edge.publish('hello', { '/index.html': 'new' }, { deploymentId: 'dpl_2' })
  assert.equal((await edge.ask('/')).body.toString(), 'old')
  edge.edge.changed({ projectId: 'prj_hello' })
  assert.equal((await edge.ask('/')).body.toString(), 'new')
  assert.equal((await edge.ask('/old')).status, 404)
})

test('without the database a cached site stays up and an unknown one gets Retry-After', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'here' })
  await edge.ask('/')
  edge.database.isAway = true
  edge.edge.changed({})
  assert.equal((await edge.ask('/')).body.toString(), 'here')
  assert.equal(edge.logged.length, 1)
  const cold = await edge.ask('/', { host: 'other.masthead.localhost' })
  assert.deepEqual([cold.status, cold.headers['retry-after']], [503, '5'])
  assert.equal(edge.logged.length, 2)
})

/** Repeats a request on an open connection. */
async function askAgain(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: hello.masthead.localhost\r\n\r\n')
  const [answer] = await once(socket, 'data')
  return String(answer).split('\r\n\r\n')[1] ?? ''
}

test('a repeated request on an open connection gets the new deployment', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'old' })
  const socket = await edge.dial()
  for (let time = 0; time < 3; time++) assert.equal(await askAgain(socket), 'old')
  await edge.publish('hello', { '/index.html': 'new' }, { deploymentId: 'dpl_2' })
  edge.edge.changed({ projectId: 'prj_hello' })
  for (let time = 0; time < 3; time++) assert.equal(await askAgain(socket), 'new')
  socket.destroy()
})

test('a site served stale without the database is reloaded on an open connection', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'old' })
  const socket = await edge.dial()
  await askAgain(socket)
  edge.database.isAway = true
  await edge.publish('hello', { '/index.html': 'new' }, { deploymentId: 'dpl_2' })
  edge.edge.changed({ projectId: 'prj_hello' })
  for (let time = 0; time < 3; time++) assert.equal(await askAgain(socket), 'old')
  edge.database.isAway = false
  while ((await askAgain(socket)) === 'old');
  assert.equal(await askAgain(socket), 'new')
  socket.destroy()
})

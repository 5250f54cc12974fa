import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FairQueue } from '../kernel/fair-queue.ts'
import { startEdge } from './edge.test-kit.ts'

type TestEdge = Awaited<ReturnType<typeof startEdge>>

function visit({ listener }: TestEdge, localAddress: string, host: string): Promise<number> {
  const { port } = listener.address
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, localAddress, headers: { host }, agent: false })
    req.on('error', reject)
    req.on('response', (res) => {
      res.resume()
      res.on('end', () => resolve(res.statusCode ?? 0))
    })
    req.end()
  })
}

async function connected({ listener }: TestEdge, visitors: number): Promise<void> {
  while (listener.connections() < visitors) await setImmediate()
}

/** With ten connections, which look-ups get in the order of their arrival. It finds hello, and nothing else until it is quick. */
function slowDatabase() {
  const connections = new FairQueue({ size: 10 })
  const quick = Promise.withResolvers<void>()
  return {
    becomeQuick: quick.resolve,
    delay: (name: string) =>
      connections.run(null, () => (/^hello\b/.test(name) ? Promise.resolve() : quick.promise)),
  }
}

const kinds = {
  'custom domains': (name: string) => `${name}.example`,
  'names of the platform': (name: string) => `${name}.masthead.localhost`,
}

for (const [kind, hostOf] of Object.entries(kinds)) {
  test(`the first visitor of a site does not wait behind a flood of unknown ${kind}`, async () => {
    await using edge = await startEdge()
    await edge.publish('hello', { '/index.html': 'here' })
    edge.routes.set('hello.example', { kind: 'site', slug: 'hello' })
    const { delay, becomeQuick } = slowDatabase()
    edge.database.delay = delay
    const flood = Array.from({ length: 300 }, (_, at) => visit(edge, '127.0.0.2', hostOf(`x${at}`)))
    await connected(edge, flood.length)
    assert.equal(await visit(edge, '127.0.0.3', hostOf('hello')), 200)
    becomeQuick()
    await Promise.all(flood)
  })
}

test('hosts beyond what one address may look up at a time are refused, and others are found', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'here' })
  const { delay, becomeQuick } = slowDatabase()
  edge.database.delay = delay
  const flood = Array.from({ length: 1_500 }, (_, at) => visit(edge, '127.0.0.2', `x${at}.example`))
  assert.equal(await Promise.race(flood), 503)
  assert.equal(await visit(edge, '127.0.0.3', 'hello.masthead.localhost'), 200)
  becomeQuick()
  await Promise.all(flood)
})

test('many visitors of one site that is not cached share its look-up', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'here' })
  const sockets = await Promise.all(Array.from({ length: 1_000 }, edge.dial))
  const quick = Promise.withResolvers<void>()
  edge.database.delay = (name) => (name === 'hello' ? quick.promise : Promise.resolve())
  const answers = sockets.map(async (socket) => {
    socket.write('GET / HTTP/1.1\r\nHost: hello.masthead.localhost\r\nConnection: close\r\n\r\n')
    return text(socket)
  })
  // Whoever comes after them is answered after they were read.
  assert.equal(await visit(edge, '127.0.0.3', 'nobody.masthead.localhost'), 404)
  quick.resolve()
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200 .*here$/s)
  assert.equal(edge.calls.find, 2)
})

test('a flood of unknown hosts does not keep a changed site from being served', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'here' })
  assert.equal(await visit(edge, '127.0.0.2', 'hello.masthead.localhost'), 200)
  const { delay, becomeQuick } = slowDatabase()
  edge.database.delay = delay
  const flood = Array.from({ length: 1_500 }, (_, at) => visit(edge, '127.0.0.2', `x${at}.example`))
  await Promise.race(flood)
  edge.edge.changed({ slug: 'hello' })
  assert.equal(await visit(edge, '127.0.0.2', 'hello.masthead.localhost'), 200)
  becomeQuick()
  await Promise.all(flood)
})

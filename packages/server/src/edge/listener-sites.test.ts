import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ListenerLimits } from './accept/connection-limits.ts'
import { sitesWith } from './listener.test-kit.ts'
import { createListener, type ListenerOptions } from './listener.ts'

const content = Buffer.alloc(400_000, 'x')
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A listener where everything but POST is for a site, with every answer in memory. */
async function listen(
  limits: Partial<ListenerLimits> = {},
  handle: ListenerOptions['handle'] = (_req, res) => res.destroy(),
  isProxy = false,
) {
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle,
    sites: sitesWith(content, ({ method }) => method === 'POST'),
    proxies: { isProxy: () => isProxy, country: null },
    limits,
  })
  const dial = async () => {
    const socket = connect(listener.address.port, '127.0.0.1')
    socket.on('error', () => {})
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await once(socket, 'connect')
    return { socket, closed }
  }
  const connectionsFallTo = async (count: number) => {
    while (listener.connections() !== count) await setImmediate()
  }
  return { listener, dial, connectionsFallTo, [Symbol.asyncDispose]: () => listener.close(0) }
}

/** Sends a request and reads the whole answer. */
async function ask({ socket }: { socket: ReturnType<typeof connect> }): Promise<void> {
  const before = socket.bytesRead
  socket.write(get)
  while (socket.bytesRead - before < content.length) await once(socket, 'data')
}

test('a connection for sites is counted, and kept between requests until the idle timeout', async () => {
  await using server = await listen({ idleTimeout: 200 })
  const client = await server.dial()
  await ask(client)
  await ask(client)
  assert.equal(server.listener.connections(), 1)
  await client.closed
  await server.connectionsFallTo(0)
})

test('a silent connection is closed', async () => {
  await using server = await listen({ idleTimeout: 200 })
  const { socket, closed } = await server.dial()
  socket.resume()
  await closed
})

test('a client that never reads its answers is closed', async () => {
  await using server = await listen({ idleTimeout: 200 })
  const { socket } = await server.dial()
  socket.pause()
  socket.write(get.repeat(100))
  while (server.listener.connections() === 0) await setImmediate()
  await server.connectionsFallTo(0)
  socket.destroy()
})

test('a client that disappears during an answer leaves nothing behind', async () => {
  await using server = await listen()
  const { socket } = await server.dial()
  socket.write(get.repeat(100))
  await once(socket, 'data')
  socket.resetAndDestroy()
  await server.connectionsFallTo(0)
})

test('closing ends idle connections, and after the grace period those that do not read', async () => {
  const { listener, dial, connectionsFallTo } = await listen()
  const idle = await dial()
  await ask(idle)
  const stalled = await dial()
  stalled.socket.pause()
  stalled.socket.write(get.repeat(100))
  const closing = listener.close(100)
  await idle.closed
  await closing
  await connectionsFallTo(0)
  stalled.socket.destroy()
})

test('a head in several parts is answered, and one over 16 KiB refused', async () => {
  await using server = await listen()
  const { socket, closed } = await server.dial()
  await ask({ socket })
  const before = socket.bytesRead
  socket.write(get.slice(0, 20))
  await setImmediate()
  socket.write(get.slice(20))
  while (socket.bytesRead - before < content.length) await once(socket, 'data')
  let rest = ''
  socket.on('data', (chunk) => {
    rest += chunk
  })
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}`)
  await closed
  assert.match(rest, /^HTTP\/1\.1 431 .*\r\nConnection: close\r\n/s)
})

for (const isProxy of [false, true]) {
  const who = isProxy ? 'a proxy' : 'anybody else'

  test(`a body for the platform reaches node:http byte for byte, as the first request of ${who}`, async () => {
    const received = Promise.withResolvers<Buffer>()
    const handle: ListenerOptions['handle'] = async (req, res) => {
      received.resolve(await buffer(req))
      res.end('taken')
    }
    await using server = await listen({}, handle, isProxy)
    const client = await server.dial()
    // The connection of a proxy carries requests for many hosts.
    if (isProxy) await ask(client)
    const body = randomBytes(3_000_000)
    client.socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
    client.socket.write(body)
    assert.ok((await received.promise).equals(body))
    const [answer] = await once(client.socket, 'data')
    assert.match(String(answer), /taken/)
    client.socket.destroy()
  })
}

test('on a connection for sites, a later request for the platform is misdirected', async () => {
  await using server = await listen({}, () => assert.fail('it was handed over'))
  const { socket, closed } = await server.dial()
  await ask({ socket })
  let rest = ''
  socket.on('data', (chunk) => {
    rest += chunk
  })
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc')
  await closed
  assert.match(rest, /^HTTP\/1\.1 421 .*\r\nConnection: close\r\n/s)
})

test('a client that pipelines and reads late gets every answer once', async () => {
  await using server = await listen()
  const { socket, closed } = await server.dial()
  socket.pause()
  socket.write(get.repeat(60))
  while (socket.readableLength === 0) await setImmediate()
  for (let time = 0; time < 3; time++) socket.write(get)
  socket.write(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  const text = (await buffer(socket)).toString('latin1')
  assert.equal(text.split('HTTP/1.1 200 OK').length - 1, 64)
  assert.equal(text.split('x').length - 1, 64 * content.length)
  await closed
})

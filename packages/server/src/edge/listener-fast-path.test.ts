import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ListenerLimits } from './accept/connection-limits.ts'
import { noBody } from './assets/reply.ts'
import { createListener, type ListenerOptions } from './listener.ts'

const content = Buffer.alloc(400_000, 'x')
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A listener with every answer in memory, so that node:http never sees a request. */
async function listen(
  limits: Partial<ListenerLimits> = {},
  handle: ListenerOptions['handle'] = (_req, res) => res.destroy(),
) {
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle,
    answerFromMemory: () => ({
      reply: { status: 200, headers: ['Content-Length', String(content.length)], body: noBody },
      content,
    }),
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

test('a connection in the fast path is counted, and kept between requests until the idle timeout', async () => {
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

test('a head in several parts is left to node:http and its limits', async () => {
  await using server = await listen()
  const { socket, closed } = await server.dial()
  await ask({ socket })
  const before = socket.bytesRead
  socket.write(get.slice(0, 20))
  socket.write(get.slice(20))
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}`)
  socket.resume()
  await closed
  assert.ok(socket.bytesRead - before < content.length)
})

test('a body after answers of the fast path reaches node:http byte for byte', async () => {
  const received = Promise.withResolvers<Buffer>()
  await using server = await listen({}, async (req, res) => {
    received.resolve(await buffer(req))
    res.end('taken')
  })
  const client = await server.dial()
  await ask(client)
  const body = randomBytes(3_000_000)
  client.socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
  client.socket.write(body)
  assert.ok((await received.promise).equals(body))
  const [answer] = await once(client.socket, 'data')
  assert.match(String(answer), /taken/)
  client.socket.destroy()
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

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { ListenerLimits } from './accept/connection-limits.ts'
import { sitesWith } from './listener.test-kit.ts'
import { createListener, type ListenerOptions } from './listener.ts'

async function listen(
  handle: (res: ServerResponse, url: string) => void,
  limits: Partial<ListenerLimits> = {},
  more: Partial<ListenerOptions> = {},
) {
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle: (req, res) => handle(res, req.url ?? ''),
    limits,
    ...more,
  })
  const dial = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port: listener.address.port, host: '127.0.0.1', localAddress })
    await once(socket, 'connect')
    socket.setEncoding('latin1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    return { socket, received: () => received, closed }
  }
  return { listener, dial, [Symbol.asyncDispose]: () => listener.close(0) }
}

/** How a new connection fails. */
async function refusal(port: number): Promise<string> {
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  return error.code
}

const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

test('anything but HTTP gets 400', async () => {
  await using server = await listen((res) => res.end())
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
  ]) {
    const { socket, received, closed } = await server.dial()
    socket.write(bytes)
    await closed
    assert.match(received(), /^HTTP\/1\.1 400 Bad Request\r\n/)
  }
})

test('a head over 16 KiB gets 431', async () => {
  await using server = await listen((res) => res.end())
  const { socket, received, closed } = await server.dial()
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`)
  await closed
  assert.match(received(), /^HTTP\/1\.1 431 Request Header Fields Too Large\r\nConnection: close\r\n/)
})

test('a silent connection is closed, a slow one is not', async () => {
  await using server = await listen((res) => res.end('patience'), { idleTimeout: 200 })
  const silent = await server.dial()
  const slow = await server.dial()
  slow.socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ')
  const dribble = setInterval(() => slow.socket.write('x'), 5)
  await silent.closed
  clearInterval(dribble)
  slow.socket.write('\r\n\r\n')
  await slow.closed
  assert.match(slow.received(), /patience$/)
})

for (const own of [false, true]) {
  const way = own ? 'by our own HTTP/1.1' : 'by node:http'
  const slow = { headersTimeout: 200, requestTimeout: 400, idleTimeout: 60_000 }
  const more = own ? { sites: sitesWith(Buffer.from('own'), () => true) } : {}

  test(`a head that takes too long times out, even if it never stalls (${way})`, async () => {
    await using server = await listen((res) => res.end(), slow, more)
    const { socket, received, closed } = await server.dial()
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nX: ')
    const dribble = setInterval(() => socket.write('x'), 10)
    await closed
    clearInterval(dribble)
    assert.match(received(), /^HTTP\/1\.1 408 Request Timeout\r\n/)
  })

  test(`so does a body, but a complete request may be answered later (${way})`, async () => {
    const late = (res: ServerResponse) => setTimeout(() => res.end('late'), 800)
    await using server = await listen((res, url) => (url === '/late' ? late(res) : undefined), slow, more)
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n`
    const inTime = await server.dial()
    inTime.socket.write(post('/late') + 'x'.repeat(1000))
    const { socket, received, closed } = await server.dial()
    socket.write(post('/'))
    const dribble = setInterval(() => socket.write('x'), 10)
    await closed
    clearInterval(dribble)
    assert.match(received(), /^HTTP\/1\.1 408 Request Timeout\r\n/)
    while (!inTime.received().endsWith('late')) await once(inTime.socket, 'data')
    inTime.socket.destroy()
  })
}

test('one address has a share of the connections, and others still get in', async () => {
  await using server = await listen((res) => res.end('x'), { maxConnections: 20 })
  const own = await Promise.all(Array.from({ length: 10 }, () => server.dial()))
  await Promise.race(own.map(({ closed }) => closed))
  while (server.listener.refused() < 6) await new Promise(setImmediate)
  assert.equal(server.listener.connections(), 4)
  const other = await server.dial('127.0.0.2')
  other.socket.write(get())
  await once(other.socket, 'data')
  assert.equal(server.listener.connections(), 5)
  for (const { socket } of [...own, other]) socket.destroy()
})

test('an address over its share evicts no idle connections of others', async () => {
  await using server = await listen((res) => res.end('x'), { maxConnections: 40, idleTimeout: 24_000 })
  const others = await Promise.all([2, 3, 4].map((n) => server.dial(`127.0.0.${n}`)))
  // Long enough to be seen as idle: there are eight checks per timeout.
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  const greedy = await Promise.all(Array.from({ length: 30 }, () => server.dial('127.0.0.9')))
  while (server.listener.refused() < 22) await new Promise(setImmediate)
  for (const { socket, received } of others) {
    socket.write(get())
    while (received() === '') await once(socket, 'data')
  }
  for (const { socket } of [...others, ...greedy]) socket.destroy()
})

test('a proxy may use all connections', async () => {
  const more = { proxies: { isProxy: (address: string) => address === '127.0.0.1', country: null } }
  await using server = await listen((res) => res.end('x'), { maxConnections: 10 }, more)
  const own = await Promise.all(Array.from({ length: 12 }, () => server.dial()))
  while (server.listener.refused() < 2) await new Promise(setImmediate)
  assert.equal(server.listener.connections(), 10)
  for (const { socket } of own) socket.destroy()
})

test('without a free slot the connection that was idle longest is evicted', async () => {
  await using server = await listen((res) => res.end('x'), { maxConnections: 8, idleTimeout: 4000 })
  const first = await server.dial()
  const second = await server.dial()
  // The second is kept busy, the first is idle from now on.
  const requests = setInterval(() => second.socket.write(get()), 50)
  let third = await server.dial()
  while (third.socket.destroyed || server.listener.connections() !== 2 || !first.socket.destroyed) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (third.socket.destroyed) third = await server.dial()
  }
  clearInterval(requests)
  assert.equal(second.socket.destroyed, false)
  third.socket.write(get())
  while (third.received() === '') await once(third.socket, 'data')
  for (const { socket } of [second, third]) socket.destroy()
})

test('a connection is kept between requests until the idle timeout', async () => {
  await using server = await listen((res) => res.end('x'), { idleTimeout: 200 })
  const { socket, received, closed } = await server.dial()
  socket.write(get())
  await closed
  assert.match(received(), /Connection: keep-alive\r\n.*x$/s)
})

test('many requests share a connection, which is counted while it is open', async () => {
  await using server = await listen((res) => res.end('x'))
  assert.equal(server.listener.connections(), 0)
  const { socket, received, closed } = await server.dial()
  for (let n = 1; n <= 3; n++) {
    socket.write(get())
    while (received().split('\r\n\r\nx').length <= n) await once(socket, 'data')
  }
  assert.equal(server.listener.connections(), 1)
  socket.end()
  await closed
  while (server.listener.connections() > 0) await new Promise(setImmediate)
})

test('closing finishes running requests, closes idle connections and accepts no new ones', async () => {
  const running = Promise.withResolvers<ServerResponse>()
  const { listener, dial } = await listen((res, url) =>
    url === '/slow' ? running.resolve(res) : res.end('quick'),
  )
  const idle = await dial()
  idle.socket.write(get())
  await once(idle.socket, 'data')
  const busy = await dial()
  busy.socket.write(get('/slow'))
  const res = await running.promise

  const closing = listener.close(60_000)
  await idle.closed
  assert.equal(await refusal(listener.address.port), 'ECONNREFUSED')
  assert.equal(busy.received(), '')
  res.end('slow')
  await Promise.all([closing, busy.closed])
  assert.match(busy.received(), /slow$/)
})

for (const own of [false, true]) {
  const way = own ? 'by our own HTTP/1.1' : 'by node:http'
  const more = own ? { sites: sitesWith(Buffer.from('own'), () => false) } : {}

  test(`while closing, a request on an open connection is answered as its last (${way})`, async () => {
    const { listener, dial } = await listen((res) => res.end('node'), {}, more)
    const { socket, received, closed } = await dial()
    socket.write(get())
    await once(socket, 'data')
    const closing = listener.close(60_000)
    socket.write(get())
    await Promise.all([closing, closed])
    assert.deepEqual(received().match(/(?<=Connection: )[a-z-]+/gi), ['keep-alive', 'close'])
  })

  test(`a request that came while the process stood still is answered before connections end (${way})`, async () => {
    const { listener, dial } = await listen((res) => res.end('node'), {}, more)
    const { socket, received, closed } = await dial()
    socket.write(get())
    await once(socket, 'data')
    const closing = listener.close(60_000, 20)
    socket.write(get())
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    await Promise.all([closing, closed])
    assert.deepEqual(received().match(/(?<=Connection: )[a-z-]+/gi), ['keep-alive', 'close'])
  })

  test(`closing does not wait for an incomplete head (${way})`, async () => {
    const { listener, dial } = await listen((res) => res.end('node'), {}, more)
    const parts = ['', 'G', get().slice(0, -2), `${get()}GET /second HT`]
    const clients = await Promise.all(parts.map(() => dial()))
    for (const [index, { socket }] of clients.entries()) socket.write(parts[index] ?? '')
    while (clients.at(-1)?.received() === '') await new Promise(setImmediate)
    await listener.close(60_000)
    await Promise.all(clients.map(({ closed }) => closed))
  })
}

test('pipelined requests are all answered while closing', async () => {
  const waiting: ServerResponse[] = []
  const { listener, dial } = await listen((res) => void waiting.push(res))
  const { socket, received, closed } = await dial()
  socket.write(get().repeat(3))
  while (waiting.length < 3) await new Promise(setImmediate)
  const closing = listener.close(60_000)
  for (const res of waiting) res.end('x')
  await Promise.all([closing, closed])
  assert.deepEqual(received().match(/(?<=Connection: )[a-z-]+/gi), ['keep-alive', 'keep-alive', 'close'])
})

test('an upload that is running when closing begins is finished', async () => {
  const arrived = Promise.withResolvers<void>()
  const { listener, dial } = await listen(
    () => {},
    {},
    {
      handle: async (req, res) => {
        arrived.resolve()
        let length = 0
        for await (const chunk of req) length += chunk.length
        res.end(`took ${length}`)
      },
    },
  )
  const { socket, received, closed } = await dial()
  socket.write('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234')
  await arrived.promise
  const closing = listener.close(60_000)
  const other = await refusal(listener.address.port)
  socket.write('56789')
  await Promise.all([closing, closed])
  assert.equal(other, 'ECONNREFUSED')
  assert.match(received(), /Connection: close\r\n.*took 10$/s)
})

test('closing ends what is still running after the grace period', async () => {
  const { listener, dial } = await listen(() => {})
  const busy = await dial()
  busy.socket.write(get())
  await listener.close(50)
  await busy.closed
  assert.equal(busy.received(), '')
})

test('an address in use is an error', async () => {
  await using server = await listen((res) => res.end())
  const { port } = server.listener.address
  await assert.rejects(createListener({ host: '127.0.0.1', port, handle: () => {} }), { code: 'EADDRINUSE' })
})

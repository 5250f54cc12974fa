import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, type RequestListener, request, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPlatformQueue, type PlatformQueueOptions, startTime } from './platform-queue.ts'

async function listen(listener: RequestListener, options: Partial<PlatformQueueOptions> = {}) {
  const server = createServer(createPlatformQueue(listener, options).handle)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async ask(path: string, localAddress = '127.0.0.1'): Promise<string> {
      const asked = request({ host: '127.0.0.1', port, path, localAddress, agent: false }).end()
      const [answer] = await once(asked, 'response')
      return text(answer)
    },
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const pipelined = (paths: string[]) => paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')

test('on one connection a request starts when the previous one is answered', async () => {
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  using server = await listen((req, res) => {
    begun.push(req.url ?? '')
    void (req.url === '/1' ? first.promise : Promise.resolve()).then(() => res.end(req.url))
  })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(pipelined(['/1', '/2', '/3']))
  // Others do not wait for it.
  assert.equal(await server.ask('/other'), '/other')
  assert.deepEqual(begun, ['/1', '/other'])
  first.resolve()
  let answered = ''
  for await (const chunk of socket) {
    answered += chunk
    if (answered.includes('/3')) break
  }
  assert.deepEqual(begun, ['/1', '/other', '/2', '/3'])
})

test('a client with too many waiting requests on a connection is cut off', async () => {
  const begun: string[] = []
  using server = await listen((req) => void begun.push(req.url ?? ''), { perConnection: 3 })
  const socket = connect(server.port, '127.0.0.1').resume()
  socket.on('error', () => {})
  socket.write(pipelined(['/1', '/2', '/3', '/4', '/5']))
  await once(socket, 'close')
  assert.ok(begun.length <= 1)
})

test('callers are served round-robin, however many requests one of them has', () => {
  const begun: string[] = []
  const { handle } = createPlatformQueue((req) => void begun.push(`${req.socket.remoteAddress} ${req.url}`), {
    msPerTurn: 0,
  })
  const ask = (remoteAddress: string, url: string) =>
    handle(
      { httpVersionMajor: 2, url, socket: { remoteAddress } } as IncomingMessage,
      { destroyed: false } as ServerResponse,
    )
  for (const url of ['/1', '/2', '/3', '/4']) ask('192.0.2.1', url)
  ask('192.0.2.2', '/1')
  ask('192.0.2.3', '/1')
  ask('192.0.2.2', '/2')
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => (begun.length < 7 ? setImmediate(look) : resolve())
  setImmediate(look)
  assert.deepEqual(begun, [])
  return promise.then(() =>
    assert.deepEqual(begun, [
      '192.0.2.1 /1',
      '192.0.2.2 /1',
      '192.0.2.3 /1',
      '192.0.2.1 /2',
      '192.0.2.2 /2',
      '192.0.2.1 /3',
      '192.0.2.1 /4',
    ]),
  )
})

/** The turn of the event loop in which each of these requests starts, counted from the first. */
async function turnsOf(requests: number, options: Partial<PlatformQueueOptions>): Promise<number[]> {
  const begun: number[] = []
  let turn = 0
  const { handle } = createPlatformQueue(() => void begun.push(turn), options)
  for (let n = 0; n < requests; n++) {
    const req = { httpVersionMajor: 2, url: '/', socket: { remoteAddress: '192.0.2.1' } } as IncomingMessage
    handle(req, { destroyed: false } as ServerResponse)
  }
  for (; begun.length < requests; turn++) await nextTurn()
  return begun.map((one) => one - (begun[0] ?? 0))
}

test('requests start together while nobody visits a site', async () => {
  assert.deepEqual(await turnsOf(4, { msPerTurn: 10_000 }), [0, 0, 0, 0])
  assert.deepEqual(await turnsOf(4, { msPerTurn: 0 }), [0, 1, 2, 3])
})

test('while sites are visited all the time, requests start every other turn', async () => {
  let visits = 0
  assert.deepEqual(await turnsOf(4, { msPerTurn: 0, visits: () => ++visits }), [0, 2, 4, 6])
})

test('while sites are visited, requests get a tenth of the time, but never more than otherwise', () => {
  const msPerTurn = 0.3
  const at = { now: 5_000, lastStartAt: 4_999, lastVisitAt: 4_999, msPerTurn }
  assert.equal(startTime(at).toFixed(3), '0.100')
  assert.equal(startTime({ ...at, lastStartAt: 4_000 }), msPerTurn)
  assert.equal(startTime({ ...at, lastStartAt: 5_000 }), 0)
  assert.equal(startTime({ ...at, lastVisitAt: 4_900 }), msPerTurn)
  assert.equal(startTime({ ...at, lastVisitAt: Number.NEGATIVE_INFINITY }), msPerTurn)
})

test('what a visitor gets is sent before the next request starts', async () => {
  const order: string[] = []
  let visits = 0
  const visit = () => {
    visits++
    setImmediate(() => order.push('sent to the visitor'))
  }
  const { handle } = createPlatformQueue(
    ({ url }) => {
      order.push(`${url}`)
      if (url !== '/1') return
      // The visitor's request comes while this one runs, so it is read at the beginning of the next turn.
      setTimeout(visit, 0)
      for (const end = performance.now() + 5; performance.now() < end; );
    },
    { msPerTurn: 0, visits: () => visits },
  )
  for (const url of ['/1', '/2', '/3']) {
    const req = { httpVersionMajor: 2, url, socket: { remoteAddress: '192.0.2.1' } } as IncomingMessage
    handle(req, { destroyed: false } as ServerResponse)
  }
  while (order.length < 4) await nextTurn()
  assert.deepEqual(order, ['/1', 'sent to the visitor', '/2', '/3'])
})

test('visitors whose requests were read are answered before a request starts', async () => {
  const order: string[] = []
  const { handle } = createPlatformQueue(({ url }) => void order.push(`${url}`), {
    msPerTurn: 0,
    answerVisitors: () => void order.push('visitors'),
  })
  for (const url of ['/1', '/2']) {
    const req = { httpVersionMajor: 2, url, socket: { remoteAddress: '192.0.2.1' } } as IncomingMessage
    handle(req, { destroyed: false } as ServerResponse)
  }
  while (order.length < 4) await nextTurn()
  assert.deepEqual(order, ['visitors', '/1', 'visitors', '/2'])
})

test('one connection is read per turn while sites are visited, and its request starts immediately', async () => {
  const order: string[] = []
  let turn = 0
  let visits = 0
  const { handle, readInTurn } = createPlatformQueue(
    ({ url }) => void order.push(`start ${url} in ${turn}`),
    {
      msPerTurn: 0,
      visits: () => ++visits,
    },
  )
  for (const url of ['/1', '/2', '/3']) {
    const socket = new Socket()
    const req = Object.assign(new IncomingMessage(socket), { httpVersionMajor: 1, url })
    readInTurn(socket, () => {
      order.push(`read ${url} in ${turn}`)
      handle(req, new ServerResponse(req))
    })()
  }
  await nextTurn()
  for (; order.length < 6; turn++) await nextTurn()
  assert.deepEqual(
    order,
    ['/1', '/2', '/3'].flatMap((url, n) => [`read ${url} in ${2 * n}`, `start ${url} in ${2 * n}`]),
  )
})

test('connections are read immediately while nobody visits a site', () => {
  let visits = 0
  let reads = 0
  const { readInTurn } = createPlatformQueue(() => {}, { visits: () => visits })
  readInTurn(new Socket(), () => reads++)()
  assert.equal(reads, 1)
  visits++
  readInTurn(new Socket(), () => reads++)()
  assert.equal(reads, 1)
})

test('a caller with too many connections to read loses the next one', () => {
  const { readInTurn } = createPlatformQueue(() => {}, { perCaller: 2, visits: () => 1 })
  const sockets = Array.from({ length: 3 }, () => new Socket())
  for (const socket of sockets) readInTurn(socket, () => {})()
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [false, false, true],
  )
})

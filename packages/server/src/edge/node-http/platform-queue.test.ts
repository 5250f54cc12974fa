import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type PlatformQueueLimits, queueRequests } from './platform-queue.ts'

async function listen(listener: RequestListener, limits: Partial<PlatformQueueLimits> = {}) {
  const server = createServer(queueRequests(listener, limits))
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
  const queue = queueRequests((req) => void begun.push(`${req.socket.remoteAddress} ${req.url}`), {
    msPerTurn: 0,
  })
  const ask = (remoteAddress: string, url: string) =>
    queue(
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

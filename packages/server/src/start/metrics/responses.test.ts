import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createListener } from '../../edge/listener.ts'
import { createHttp1Server } from '../../edge/node-http/http1-server.ts'
import { defaultStreamLimits, toNodeRequest } from '../../edge/node-http/http2-request.ts'
import { createPlatformQueue } from '../../edge/node-http/platform-queue.ts'
import { ResponseCounts } from '../../edge/response-counts.ts'
import { measureApi } from './responses.ts'

/** The first request keeps the process busy for longer than the second bucket of the histogram. */
const busyMs = 60

function measuredQueue(visits: () => number) {
  const metrics = new Registry()
  let isFirst = true
  const answer: RequestListener = (_req, res) => {
    if (isFirst) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs)
    isFirst = false
    res.end('done')
  }
  const queue = createPlatformQueue(measureApi(answer, new ResponseCounts(), metrics), {
    msPerTurn: 0,
    visits,
  })
  /** How many answers took at most this many seconds. */
  async function answersWithin(le: number | '+Inf'): Promise<number | undefined> {
    const [histogram] = await metrics.getMetricsAsJSON()
    return histogram?.values.find(({ labels }) => 'le' in labels && labels.le === le)?.value
  }
  return { queue, answersWithin }
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

for (const [when, visits] of [
  ['', () => 0],
  [', also while sites are visited', countUp()],
] as const) {
  test(`a request is measured from its arrival${when}`, async (t) => {
    const { queue, answersWithin } = measuredQueue(visits)
    const http = createHttp1Server({}, queue.handle, queue.readInTurn)
    const server = createServer((socket) => http.accept(socket))
    t.after(() => http.stopListening([server]))
    const port = await listen(server)
    const clients = []
    for (let n = 0; n < 2; n++) {
      const client = connect(port, '127.0.0.1')
      await Promise.all([once(client, 'connect'), once(server, 'connection')])
      clients.push(client)
    }
    // Both are there when the process looks next.
    for (const client of clients) client.write('GET /v1/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    for (const answer of await Promise.all(clients.map((client) => text(client))))
      assert.match(answer, /done$/)
    assert.deepEqual([await answersWithin('+Inf'), await answersWithin(0.05)], [2, 0])
  })
}

test('a request over HTTP/2 is measured from its arrival', async (t) => {
  const { queue, answersWithin } = measuredQueue(() => 0)
  const server = createHttp2Server()
  server.on('stream', (stream, headers) => {
    queue.handle(...toNodeRequest(stream as ServerHttp2Stream, headers, 'a', defaultStreamLimits))
  })
  const client = connectHttp2(`http://127.0.0.1:${await listen(server)}`)
  t.after(() => {
    client.destroy()
    server.close()
  })
  await once(client, 'remoteSettings')
  const asked = [client.request({ ':path': '/v1/x' }), client.request({ ':path': '/v1/x' })]
  for (const answer of await Promise.all(asked.map((stream) => text(stream)))) assert.equal(answer, 'done')
  assert.deepEqual([await answersWithin('+Inf'), await answersWithin(0.05)], [2, 0])
})

test('a request that cannot be read is counted too', async (t) => {
  const counts = new ResponseCounts()
  const platform = measureApi((_req, res) => res.writeHead(400).end(), counts, new Registry())
  const refuser = { platform, isSite: () => false }
  const listener = await createListener({ host: '127.0.0.1', port: 0, handle: platform, refuser })
  t.after(() => listener.close(0))
  const client = connect(listener.address.port, '127.0.0.1')
  client.end('nonsense\r\n\r\n')
  assert.match(await text(client), /^HTTP\/1\.1 400 /)
  assert.equal(counts.byClass()['4xx'], 1)
})

function countUp(): () => number {
  let count = 0
  return () => ++count
}

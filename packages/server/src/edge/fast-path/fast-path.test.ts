import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Duplex, duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { noBody } from '../assets/reply.ts'
import { createRefusal } from '../node-http/refuse-unreadable.ts'
import { createFastPath, type FastPathAnswer } from './fast-path.ts'
import type { RequestHead } from './request-head.ts'

/** A fast path with `/ready…` in memory, in front of a node:http that answers everything. Connections are in memory too. */
function openFastPath(
  contentOf: (path: string) => string | Buffer = (path) => `fastPath ${path}`,
  load: () => FastPathAnswer = () => null,
) {
  const asked: RequestHead[] = []
  const server = createServer((req, res) => res.end(`http ${req.method} ${req.url}`))
  server.on('clientError', createRefusal().refuse)
  let handedOver = 0
  const fastPath = createFastPath({
    answer: (request): FastPathAnswer => {
      asked.push(request)
      if (request.target.startsWith('/loading')) return load()
      if (!request.target.startsWith('/ready')) return null
      const content = Buffer.from(contentOf(request.target))
      const headers = ['Content-Length', String(content.length)]
      return { reply: { status: 200, headers, body: noBody }, content }
    },
    handOver: (socket) => {
      handedOver++
      server.emit('connection', socket)
    },
  })
  const connect = (): Duplex => {
    const [client, connection] = duplexPair()
    fastPath.accept(connection)
    return client
  }
  return { fastPath, asked, connect, handedOver: () => handedOver }
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

/** The bodies of a connection's responses. */
async function bodiesFrom(client: Duplex): Promise<string[]> {
  const text = (await buffer(client)).toString('latin1')
  return text.split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s).slice(1)
}

test('cached content is answered by the fast path, many times per connection', async () => {
  const { connect, handedOver } = openFastPath()
  const client = connect()
  for (const path of ['/ready', '/ready', '/ready/2']) {
    client.write(get(path))
    const [chunk] = await once(client, 'data')
    assert.match(
      String(chunk),
      new RegExp(`^HTTP/1\\.1 200 OK\r\n[^]*\r\nConnection: keep-alive\r\n\r\nfastPath ${path}$`),
    )
  }
  assert.equal(handedOver(), 0)
  client.destroy()
})

test('the first request for uncached content goes to node:http, with its connection', async () => {
  const { connect, asked, handedOver } = openFastPath()
  const client = connect()
  client.write(get('/ready/1') + get('/cold') + get('/ready/2') + get('/ready/3', 'Connection: close\r\n'))
  assert.deepEqual(await bodiesFrom(client), [
    'fastPath /ready/1',
    'http GET /cold',
    'http GET /ready/2',
    'http GET /ready/3',
  ])
  assert.equal(handedOver(), 1)
  assert.deepEqual(
    asked.map(({ target }) => target),
    ['/ready/1', '/cold'],
  )
})

test('wherever the input is split, every request is answered once and in order', async () => {
  const requests = get('/ready/1') + get('/ready/2', 'Accept: */*\r\n') + get('/cold') + get('/ready/3')
  for (let at = 1; at < requests.length; at++) {
    const { connect } = openFastPath()
    const client = connect()
    client.write(requests.slice(0, at))
    await setImmediate()
    client.end(requests.slice(at))
    const paths = (await bodiesFrom(client)).map((body) => body.replace(/^(fastPath|http GET) /, ''))
    assert.deepEqual(paths, ['/ready/1', '/ready/2', '/cold', '/ready/3'], `divided at ${at}`)
  }
})

test('a request one byte at a time is answered', async () => {
  const { connect } = openFastPath()
  const client = connect()
  for (const byte of get('/ready', 'Connection: close\r\n')) {
    client.write(byte)
    await setImmediate()
  }
  assert.deepEqual(await bodiesFrom(client), ['http GET /ready'])
})

test('what is not HTTP is refused by node:http', async () => {
  const { connect, handedOver } = openFastPath()
  const client = connect()
  client.write(`${get('/ready')}nonsense\r\n\r\n`)
  let text = ''
  client.on('data', (chunk) => {
    text += chunk
  })
  await once(client, 'end')
  assert.match(text, /fastPath \/readyHTTP\/1\.1 400 Bad Request\r\n/)
  assert.equal(handedOver(), 1)
})

test('the answers to pipelined requests are sent in one write', async () => {
  const { fastPath } = openFastPath()
  const writes: string[] = []
  const connection = new Duplex({
    read() {},
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => chunk).join(''))
      done()
    },
  })
  fastPath.accept(connection)
  connection.push(get('/ready/1') + get('/ready/2') + get('/ready/3'))
  await setImmediate()
  assert.equal(writes.length, 1)
  assert.match(writes[0] ?? '', /fastPath \/ready\/1HTTP.*fastPath \/ready\/2HTTP.*fastPath \/ready\/3$/s)
  connection.destroy()
})

test('a client that does not read is not read from, and gets everything when it reads', async () => {
  for (const content of ['x'.repeat(10_000), Buffer.alloc(200_000, 'x')]) {
    const { connect, asked } = openFastPath(() => content)
    const client = connect()
    const count = 500
    const all = get('/ready').repeat(count)
    client.write(all)
    client.write(get('/ready', 'Connection: close\r\n'))
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    assert.ok(asked.length < 20, `${asked.length} requests were answered to nobody`)
    const bodies = await bodiesFrom(client)
    assert.equal(bodies.length, count + 1)
    assert.ok(bodies.every((body) => body.length === content.length))
  }
})

test('a half-closed client still gets its answer', async () => {
  const { connect } = openFastPath()
  const client = connect()
  client.end(get('/ready'))
  assert.deepEqual(await bodiesFrom(client), ['fastPath /ready'])
})

test('the connection is closed after a request that asks for it, and later ones are not answered', async () => {
  const { connect } = openFastPath()
  const client = connect()
  client.write(get('/ready/1', 'Connection: close\r\n') + get('/ready/2'))
  const text = (await buffer(client)).toString()
  assert.match(text, /\r\nConnection: close\r\n\r\nfastPath \/ready\/1$/)
})

test('closing ends idle connections immediately and others after their answers', async () => {
  const { fastPath, connect } = openFastPath(() => Buffer.alloc(300_000))
  const idle = connect()
  const busy = connect()
  busy.write(get('/ready'))
  await setImmediate()
  fastPath.close()
  assert.equal((await buffer(idle)).length, 0)
  const [body] = await bodiesFrom(busy)
  assert.equal(body?.length, 300_000)
})

/** A fast path in which `/loading` becomes ready by `arrive`. */
function openLoadingFastPath() {
  const arrival = Promise.withResolvers<void>()
  let answer: FastPathAnswer = arrival.promise
  const arrive = () => {
    answer = {
      reply: { status: 200, headers: ['Content-Length', '6'], body: noBody },
      content: Buffer.from('loaded'),
    }
    arrival.resolve()
  }
  return { ...openFastPath(undefined, () => answer), arrive }
}

test('the fast path waits for a load and keeps the connection', async () => {
  const { connect, arrive, handedOver } = openLoadingFastPath()
  const client = connect()
  client.write(get('/ready') + get('/loading') + get('/ready/2', 'Connection: close\r\n'))
  await setImmediate()
  arrive()
  assert.deepEqual(await bodiesFrom(client), ['fastPath /ready', 'loaded', 'fastPath /ready/2'])
  assert.equal(handedOver(), 0)
})

test('what is not there after two loads is left to node:http', async () => {
  for (const load of [() => Promise.resolve(), () => Promise.reject(new Error('the disk is gone'))]) {
    const { connect, asked } = openFastPath(undefined, load)
    const client = connect()
    client.write(get('/loading', 'Connection: close\r\n'))
    assert.deepEqual(await bodiesFrom(client), ['http GET /loading'])
    assert.equal(asked.length, 3)
  }
})

test('a request during a load is answered after it', async () => {
  const { connect, arrive } = openLoadingFastPath()
  const client = connect()
  client.write(get('/loading'))
  await setImmediate()
  client.write(get('/ready', 'Connection: close\r\n'))
  await setImmediate()
  arrive()
  assert.deepEqual(await bodiesFrom(client), ['http GET /loading', 'http GET /ready'])
})

test('a client that leaves during a load is forgotten', async () => {
  const { connect, arrive, asked } = openLoadingFastPath()
  const client = connect()
  client.end(get('/loading'))
  assert.equal((await buffer(client)).length, 0)
  arrive()
  await setImmediate()
  assert.equal(asked.length, 1)
})

test('closing lets node:http finish requests that wait for a load', async () => {
  const { fastPath, connect } = openLoadingFastPath()
  const client = connect()
  client.write(get('/loading', 'Connection: close\r\n'))
  await setImmediate()
  fastPath.close()
  assert.deepEqual(await bodiesFrom(client), ['http GET /loading'])
})

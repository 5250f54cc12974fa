import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { startOpensslCa } from '@masthead/testing/peers/openssl-ca.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { answerBytes, startAnswerer } from '../../dns/answerer.test-kit.ts'
import { createDns } from '../../dns/dns.ts'
import { hour } from '../../kernel/clock.ts'
import { TargetError, targetRules } from '../../outgoing/target.ts'
import { pauseAfter, schedule } from './schedule.ts'
import { type Sending, send } from './send.ts'

const nobody = createDns({
  servers: [{ address: '127.0.0.1', port: 1 }],
  authoritativePort: 1,
  allowPrivate: true,
})
const timeouts = { resolve: 2_000, connect: 2_000, headers: 300, body: 300 }
const laptop: Sending = { dns: nobody, rules: targetRules('masthead.localhost'), timeouts }
const message = { headers: { 'webhook-id': 'evt_1' }, body: '{"type":"webhook.test"}' }

async function endpoint(handle: RequestListener, server: Server = createServer()) {
  server.on('request', handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/hook?a=b`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Sends these bytes to every client that connects. */
async function rawEndpoint(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.resume())
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const failsWith = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof TargetError, String(error))
  assert.match(error.message, pattern)
  return true
}

test('the body is posted with our headers, and the answer is returned', async () => {
  const requests: object[] = []
  await using hook = await endpoint(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    requests.push({
      method: req.method,
      url: req.url,
      id: req.headers['webhook-id'],
      type: req.headers['content-type'],
      body,
    })
    res.writeHead(202).end('thank\0 you')
  })
  assert.deepEqual(await send(laptop, hook.url, message), {
    status: 202,
    text: 'thank\ufffd you',
    retryAfter: null,
  })
  const { body } = message
  assert.deepEqual(requests, [
    { method: 'POST', url: '/hook?a=b', id: 'evt_1', type: 'application/json', body },
  ])
})

test('a redirect is an answer and is not followed', async () => {
  let requests = 0
  await using other = await endpoint((_, res) => {
    requests++
    res.end()
  })
  await using hook = await endpoint((_, res) => {
    res.writeHead(307, { location: other.url }).end()
  })
  assert.equal((await send(laptop, hook.url, message)).status, 307)
  assert.equal(requests, 0)
})

test('an endpoint that never answers, or never ends its headers, is given up', async () => {
  await using silent = await rawEndpoint(() => {})
  await assert.rejects(
    send(laptop, `http://127.0.0.1:${silent.port}/`, message),
    failsWith(/did not answer in time/),
  )
  await until(() => [...silent.sockets].every((socket) => socket.closed))
  await using slow = await rawEndpoint((socket) => void socket.write('HTTP/1.1 200 OK\r\nA: b'))
  await assert.rejects(
    send(laptop, `http://127.0.0.1:${slow.port}/`, message),
    failsWith(/did not answer in time/),
  )
})

test('a body that never ends costs a kilobyte, and the status counts', async () => {
  await using hook = await endpoint((_, res) => {
    const write = () => {
      while (res.write('x'.repeat(65_536)) && !res.destroyed);
    }
    res.on('drain', write).on('error', () => {})
    write()
  })
  const { status, text } = await send(laptop, hook.url, message)
  assert.equal(status, 200)
  assert.equal(text.length, 1_024)
})

test('a body that stops arriving is cut off, and the status counts', async () => {
  await using hook = await endpoint((_, res) => void res.writeHead(201).write('start'))
  assert.deepEqual(await send(laptop, hook.url, message), { status: 201, text: 'start', retryAfter: null })
})

test('endless headers, and something other than HTTP, are refused', async () => {
  await using large = await rawEndpoint((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${`A: ${'b'.repeat(1_000)}\r\n`.repeat(100)}\r\n`)
  })
  await assert.rejects(
    send(laptop, `http://127.0.0.1:${large.port}/`, message),
    failsWith(/headers .* too large/),
  )
  await using other = await rawEndpoint((socket) => void socket.write('SSH-2.0-OpenSSH_9.9\r\n'))
  await assert.rejects(send(laptop, `http://127.0.0.1:${other.port}/`, message), failsWith(/not HTTP/))
  await assert.rejects(
    send(laptop, `https://127.0.0.1:${other.port}/`, message),
    failsWith(/TLS handshake failed/),
  )
})

test('nobody there, and a connection that is closed, have words', async () => {
  await assert.rejects(send(laptop, 'http://127.0.0.1:1/', message), failsWith(/connection was refused/))
  await using closing = await rawEndpoint((socket) => socket.destroy())
  await assert.rejects(
    send(laptop, `http://127.0.0.1:${closing.port}/`, message),
    failsWith(/connection was closed/),
  )
})

test('an endpoint that wants another protocol is given up at once', async () => {
  const patient = { ...laptop, timeouts: { ...timeouts, headers: 600_000 } }
  await using hook = await rawEndpoint((socket) => {
    const headers = 'Upgrade: websocket\r\nConnection: Upgrade\r\n'
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`)
  })
  await assert.rejects(send(patient, `http://127.0.0.1:${hook.port}/`, message), failsWith(/answered 101/))
  await until(() => [...hook.sockets].every((socket) => socket.closed))
})

test('Retry-After counts with 429 and 503 only, in seconds or as a date', async () => {
  let retryAfter = '17'
  await using hook = await endpoint((req, res) => {
    res.writeHead(Number(req.url?.slice(1)), { 'retry-after': retryAfter }).end()
  })
  const { origin } = new URL(hook.url)
  const asked = async (status: number) => (await send(laptop, `${origin}/${status}`, message)).retryAfter
  assert.equal(await asked(429), 17_000)
  assert.equal(await asked(503), 17_000)
  assert.equal(await asked(500), null)
  retryAfter = '1000000'
  assert.equal(await asked(503), 1_000_000_000)
  retryAfter = '9'.repeat(400)
  assert.equal(pauseAfter(schedule, 1, { retryAfter: await asked(503), random: 0 }), hour)
  retryAfter = new Date(Date.now() + 2 * hour).toUTCString()
  assert.equal(pauseAfter(schedule, 1, { retryAfter: await asked(429), random: 0 }), hour)
  retryAfter = new Date(0).toUTCString()
  assert.equal(await asked(429), 0)
  for (retryAfter of ['', 'soon', '-1', '1.5']) assert.equal(await asked(429), null, retryAfter)
})

const zones: Record<string, string[]> = {
  'private.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['1.1.1.1', '192.168.0.1'],
  'loopback.example': ['127.0.0.1'],
  'other.example': ['127.0.0.1'],
  'none.example': [],
  'second.example': ['127.0.0.2', '127.0.0.1'],
  'third.example': ['127.0.0.3', '127.0.0.2', '127.0.0.1'],
}

async function zoneServer() {
  return startAnswerer(({ packet, reply }) => {
    const { name = '', type } = packet.questions?.[0] ?? {}
    const answers = type === 'A' ? (zones[name.toLowerCase()] ?? []) : []
    reply(
      answerBytes(
        packet,
        answers.map((data) => ({ type: 'A', name, data, ttl: 0 })),
      ),
    )
  })
}

test('a name that leads to a private address is refused, even if only one of its addresses is private', async () => {
  await using server = await zoneServer()
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  const internet = { ...laptop, dns, rules: targetRules('masthead.example') }
  for (const name of ['private', 'metadata', 'mixed', 'loopback']) {
    await assert.rejects(send(internet, `https://${name}.example/`, message), failsWith(/private address/))
  }
  await assert.rejects(send(internet, 'https://none.example/', message), failsWith(/no address/))
  for (const name of ['private', 'metadata', 'mixed']) {
    await assert.rejects(
      send({ ...laptop, dns }, `http://${name}.example/`, message),
      failsWith(/private address/),
    )
  }
})

test('a name whose DNS does not answer in time is a failure of the endpoint', async () => {
  await using server = await startAnswerer(() => {})
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  const hurried = { ...laptop, dns, timeouts: { ...timeouts, resolve: 50 } }
  await assert.rejects(
    send(hurried, 'http://silent.example/', message),
    failsWith(/^We found no address of silent\.example in time$/),
  )
  const stopping = AbortSignal.timeout(50)
  await assert.rejects(send({ ...laptop, dns, stopping }, 'http://silent.example/', message), {
    name: 'TimeoutError',
  })
})

test('on a laptop a name may lead to this machine', async () => {
  await using server = await zoneServer()
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  await using hook = await endpoint((req, res) => void res.end(req.headers.host))
  const { port } = new URL(hook.url)
  const { text } = await send({ ...laptop, dns }, `http://loopback.example:${port}/`, message)
  assert.equal(text, `loopback.example:${port}`)
  assert.equal((await send(laptop, `http://app.localhost:${port}/`, message)).status, 200)
})

test('if nobody listens at the first address the second one is tried, and no further one', async () => {
  await using server = await zoneServer()
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  let requests = 0
  await using hook = await endpoint((_, res) => {
    requests++
    res.end()
  })
  assert.equal((await send({ ...laptop, dns }, `http://second.example:${hook.port}/`, message)).status, 200)
  await assert.rejects(
    send({ ...laptop, dns }, `http://third.example:${hook.port}/`, message),
    failsWith(/connection was refused/),
  )
  assert.equal(requests, 1)
})

test('over HTTPS the endpoint is asked by its name, and nothing is sent to one whose certificate is for another', {
  skip: skipWithout('openssl'),
}, async (t) => {
  await using server = await zoneServer()
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  const authority = await startOpensslCa()
  const { leaf, key } = await authority.issue({ names: ['loopback.example'] })
  await authority.remove()
  const asked: unknown[] = []
  await using hook = await endpoint(
    (req, res) => {
      asked.push((req.socket as TLSSocket).servername)
      res.end()
    },
    createHttpsServer({ key, cert: `${leaf}${authority.intermediate}` }),
  )
  const { port } = hook
  const sending = { ...laptop, dns }
  await assert.rejects(
    send(sending, `https://loopback.example:${port}/`, message),
    failsWith(/certificate is not trusted/),
  )
  const usual = getCACertificates()
  setDefaultCACertificates([...usual, authority.root])
  t.after(() => setDefaultCACertificates(usual))
  assert.equal((await send(sending, `https://loopback.example:${port}/`, message)).status, 200)
  for (const host of ['other.example', '127.0.0.1']) {
    await assert.rejects(send(sending, `https://${host}:${port}/`, message), failsWith(/for another name/))
  }
  assert.deepEqual(asked, ['loopback.example'])
})

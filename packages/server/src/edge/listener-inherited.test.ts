import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import { handleOf, type ListeningHandle } from '../kernel/sockets/listening-socket.ts'
import { sitesWith } from './listener.test-kit.ts'
import { createListener, type ListenerOptions } from './listener.ts'

/** A socket that listens, as one from another process. */
async function listeningSocket() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, handle: handleOf(server) as ListeningHandle }
}

/** A listener on several sockets. Answers wait in `held`. */
async function listenOnThree(sites: Partial<ListenerOptions> = {}) {
  const sockets = await Promise.all([listeningSocket(), listeningSocket(), listeningSocket()])
  const held: ServerResponse[] = []
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle: (_req, res) => held.push(res),
    inherited: sockets.map(({ handle }) => handle),
    ...sites,
  })
  return {
    listener,
    held,
    ports: sockets.map(({ port }) => port),
    [Symbol.asyncDispose]: () => listener.close(0),
  }
}

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test('closing waits for answers on every inherited socket, not only on the first', async () => {
  for (const used of [0, 1, 2]) {
    await using server = await listenOnThree()
    const { listener, held, ports } = server
    const client = connect(ports[used] ?? 0, '127.0.0.1')
    client.write(request)
    await until(() => held.length === 1)
    let isClosed = false
    const closing = listener.close(30_000).then(() => {
      isClosed = true
    })
    for (const port of ports) {
      const [error] = await once(connect(port, '127.0.0.1'), 'error')
      assert.equal(error.code, 'ECONNREFUSED')
    }
    assert.equal(isClosed, false)
    held[0]?.end('finished')
    assert.match(await text(client), /Connection: close\r\n.*finished$/s)
    await closing
  }
})

test('while it closes, an idle connection on any inherited socket may send one more request', async () => {
  for (const used of [0, 1, 2]) {
    await using server = await listenOnThree({ handle: (_req, res) => void res.end('answered') })
    const { listener, ports } = server
    const client = connect(ports[used] ?? 0, '127.0.0.1')
    client.write(request)
    await once(client, 'data')
    const closing = listener.close(60_000, 30_000)
    for (const port of ports) {
      const [error] = await once(connect(port, '127.0.0.1'), 'error')
      assert.equal(error.code, 'ECONNREFUSED')
    }
    client.write(request)
    assert.match(await text(client), /Connection: close\r\n.*answered$/s)
    await closing
  }
})

test('a visitor who has ended their side gets the answer on every inherited socket', async () => {
  const site = sitesWith(Buffer.from('answered'), () => false)
  const answer: typeof site.answers.answer = async (...given) => {
    await setImmediate()
    return site.answers.answer(...given)
  }
  await using server = await listenOnThree({ sites: { ...site, answers: { ...site.answers, answer } } })
  for (const port of server.ports) {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.end(request)
    assert.match(await text(client), /answered$/)
  }
})

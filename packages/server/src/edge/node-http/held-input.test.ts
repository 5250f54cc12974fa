import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createListener } from '../listener.ts'

/** A server that reads what has arrived when it is told to, and a client of it. */
async function startReadInTurn() {
  const reads: (() => void)[] = []
  const arrivals: (() => void)[] = []
  const begun: string[] = []
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle(req, res) {
      begun.push(`${req.method} ${req.url}`)
      if (req.method === 'GET') res.end(`${req.url} ;`)
      else void text(req).then((body) => res.end(`${req.url} ${body};`))
    },
    readInTurn: (_socket, read) => () => {
      reads.push(read)
      arrivals.shift()?.()
    },
  })
  const client = connect({ port: listener.address.port, host: '127.0.0.1', allowHalfOpen: true })
  return {
    client,
    reads,
    begun,
    listener,
    /** Resolves when the server holds what the client sent. */
    send(request: string): Promise<void> {
      const arrived = new Promise<void>((resolve) => arrivals.push(resolve))
      client.write(request)
      return arrived
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await listener.close(0)
    },
  }
}

async function received(client: Socket, end: string): Promise<string> {
  let all = ''
  while (!all.endsWith(end)) all += (await once(client, 'data'))[0]
  return all
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

test('what arrives between two requests is read when it is due', async () => {
  await using server = await startReadInTurn()
  for (const path of ['/1', '/2']) {
    await server.send(get(path))
    assert.equal(server.begun.includes(`GET ${path}`), false)
    server.reads.shift()?.()
    assert.match(await received(server.client, ';'), new RegExp(`${path} ;$`))
  }
})

test('more input is read together with what is held, in order, without waiting', async () => {
  await using server = await startReadInTurn()
  await server.send('POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n')
  server.client.write('\r\nabc')
  while (server.begun.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  server.client.write('def')
  assert.match(await received(server.client, ';'), /\/1 abcdef;$/)
  assert.equal(server.reads.length, 1)
  // What was due has been read before.
  server.reads.shift()?.()
  assert.deepEqual(server.begun, ['POST /1'])
})

test('a client that ends its side after a request gets its answer', async () => {
  await using server = await startReadInTurn()
  await server.send(get('/1'))
  server.client.end()
  assert.match(await text(server.client), /\/1 ;$/)
})

test('a request that is held when the listener closes is answered', async () => {
  await using server = await startReadInTurn()
  await server.send(get('/1'))
  const closed = server.listener.close(10_000, 0)
  assert.match(await text(server.client), /Connection: close\r\n.*\/1 ;$/s)
  server.client.end()
  await closed
})

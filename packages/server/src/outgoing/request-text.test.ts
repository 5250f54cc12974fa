import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { minute } from '../kernel/clock.ts'
import type { Outgoing } from './connect.ts'
import { requestText } from './request-text.ts'

const dns: Outgoing['dns'] = { resolve: () => assert.fail('an address needs no DNS') }
const timeouts = { resolve: minute, connect: minute }
const maxBytes = 2_000

async function startStranger(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ask(stopping?: AbortSignal) {
      const outgoing = { dns, rules: { allowsLoopback: true }, timeouts, ...(stopping && { stopping }) }
      return requestText(outgoing, new URL(`http://127.0.0.1:${port}/`), { maxBytes, timeout: minute })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('an answer that is too long is read up to the bound, and nobody waits for the rest', async () => {
  const closed = Promise.withResolvers<boolean>()
  await using stranger = await startStranger((_, res) => {
    let left = 100
    const proceed = (): void => {
      if (left-- > 0) res.write(Buffer.alloc(2 ** 20, 'x'), proceed)
      else res.end()
    }
    res.on('close', () => closed.resolve(res.writableFinished))
    proceed()
  })
  const answer = await stranger.ask()
  assert.deepEqual([answer.status, answer.text], [200, 'x'.repeat(maxBytes)])
  assert.equal(await closed.promise, false, 'it was not read to its end')
})

test('of an answer that breaks off there is what came before', async () => {
  await using stranger = await startStranger((_, res) => {
    res.writeHead(503, { 'Content-Length': 10 }).write('abc', () => res.destroy())
  })
  const { status, text } = await stranger.ask()
  assert.deepEqual([status, text], [503, 'abc'])
})

test('an answer that stops in the middle is left when the time is up', async () => {
  const closed = Promise.withResolvers<void>()
  await using stranger = await startStranger((_, res) => {
    res.on('close', () => closed.resolve())
    res.write('abc')
  })
  const stopping = new AbortController()
  const received = 'http.client.response.finish'
  // It is said just before those who wait for the answer have it.
  const stop = () => void setImmediate(() => stopping.abort())
  subscribe(received, stop)
  try {
    assert.equal((await stranger.ask(stopping.signal)).status, 200)
  } finally {
    unsubscribe(received, stop)
  }
  await closed.promise
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { NobodyThereError } from '@masthead/client/errors.ts'
import type { AnyFetch } from '@masthead/client/request.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { until } from '@masthead/testing/until.ts'
import { createContact } from './contact.ts'
import { Output } from './terminal/output.ts'

function recorded(isTTY: boolean) {
  const written: string[] = []
  const stream = { isTTY, columns: 80, write: (text: string) => written.push(text) }
  const stderr = stream as unknown as NodeJS.WriteStream
  return { written, out: new Output({ stdin: {}, stdout: stderr, stderr, json: false, quiet: false }) }
}

/** A server that answers when the test says so. */
async function slowServer() {
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', async () => {
      await promise
      socket.end(
        'HTTP/1.1 200 OK\r\nMasthead-Version: 9.8.7\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi',
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, answer, [Symbol.dispose]: () => void server.close() }
}

test('silence gets a line, which goes when the answer comes; a slow server is not given up', async () => {
  using server = await slowServer()
  const { out, written } = recorded(true)
  const versions: string[] = []
  const fetch = createContact({ server: server.url, out, onVersion: (version) => versions.push(version) })
  const answered = fetch(new URL('/v1/server', server.url))
  // Past the moment when an unreachable server would have been given up.
  const isPatient = () => written.some((text) => /Waiting for 127\.0\.0\.1:\d+… ([2-9]|\d\d+) s/.test(text))
  await until(isPatient)
  server.answer()
  assert.equal(await (await answered).text(), 'hi')
  assert.equal(written.at(-1), '\r\x1b[2K')
  assert.deepEqual(versions, ['9.8.7'])
})

test('the line does not replace what others draw', async () => {
  using server = await slowServer()
  const { out, written } = recorded(true)
  const fetch = createContact({ server: server.url, out })
  const first = fetch(new URL(server.url))
  await until(() => written.length > 0)
  out.draw(['Uploading'])
  const drawn = written.length
  server.answer()
  await first
  assert.equal(written.length, drawn)
})

test('a server that nobody listens at is given up with what was tried, even if fetch says nothing', async () => {
  const { out } = recorded(false)
  const silent = (async (_url: unknown, init: RequestInit = {}) => {
    await new Promise((_, reject) =>
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    )
  }) as unknown as AnyFetch
  const server = `http://127.0.0.1:${await freePort()}`
  const fetch = createContact({ server, out, fetch: silent })
  await assert.rejects(fetch(new URL('/v1/server', server)), (error: Error) => {
    assert.ok(error instanceof NobodyThereError)
    assert.equal((error.cause as NodeJS.ErrnoException).code, 'ECONNREFUSED')
    return true
  })
})

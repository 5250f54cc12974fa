import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { createListener } from '../listener.ts'
import { splitAfterHeads } from './held-input.ts'

test('the pieces add up to the input, each with a few heads at most', () => {
  const part = fc.constantFrom('\r\n\r\n', '\r\n', '\r', 'x', 'GET / HTTP/1.1\r\n\r\n'.repeat(20))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const chunk = Buffer.from(parts.join(''))
      const pieces = [...splitAfterHeads(chunk)]
      assert.deepEqual(Buffer.concat(pieces), chunk)
      for (const piece of pieces) assert.ok(piece.toString().split('\r\n\r\n').length <= 17)
    }),
  )
})

for (const before of [0, 1]) {
  test(`of a thousand requests in one breath, behind ${before} others, few are made once a client is cut off`, async () => {
    let made = 0
    await using listener = await createListener({
      host: '127.0.0.1',
      port: 0,
      handle(req, res) {
        made++
        if (req.url === '/') res.end()
        else req.socket.destroy()
      },
    }).then((open) => ({ ...open, [Symbol.asyncDispose]: () => open.close(0) }))
    const socket = connect(listener.address.port, '127.0.0.1').on('error', () => {})
    const closed = once(socket, 'close')
    for (let n = 0; n < before; n++) {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(socket, 'data')
    }
    socket.resume()
    socket.write('GET /cut HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000))
    await closed
    assert.ok(made <= before + 16, `${made} were made`)
  })
}

test('a tunnel is refused with an answer', async () => {
  await using listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle: (_req, res) => res.end(),
  }).then((open) => ({ ...open, [Symbol.asyncDispose]: () => open.close(0) }))
  const socket = connect(listener.address.port, '127.0.0.1')
  socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')
  assert.match(await text(socket), /^HTTP\/1\.1 405 .*\r\nAllow: .*\r\nConnection: close\r\n/s)
})

test('what follows a refused tunnel gets into no request of another client', async () => {
  const seen: string[] = []
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle(req, res) {
      seen.push(`${req.method} ${req.url}`)
      res.end()
    },
  })
  const at = { port: listener.address.port, host: '127.0.0.1', allowHalfOpen: true }
  const tunnel = connect(at)
  tunnel.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')
  await once(tunnel, 'data')
  const other = connect(at)
  await once(other, 'connect')
  // Without the end of a head: what comes next would be the rest of it.
  tunnel.write('DELETE /tunnel HTTP/1.1\r\nX: ')
  await sleep(100)
  other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(other, 'data')
  tunnel.destroy()
  other.destroy()
  await listener.close(0)
  assert.deepEqual(seen, ['GET /other'])
})

for (const expectation of ['', 'Expect: 100-continue\r\n', 'expect: 100-Continue\r\n']) {
  test(`a stop lets a request finish whose body is on its way (${expectation.trim() || 'no expectation'})`, async () => {
    const listener = await createListener({
      host: '127.0.0.1',
      port: 0,
      async handle(req, res) {
        res.writeContinue()
        res.end(`received ${await text(req)}`)
      },
    })
    const socket = connect(listener.address.port, '127.0.0.1')
    const answer = text(socket)
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${expectation}Content-Length: 8\r\n\r\n`)
    await once(socket, 'data')
    socket.write('half')
    const idle = connect(listener.address.port, '127.0.0.1').resume()
    await once(idle, 'connect')
    const closed = listener.close(3_600_000, 10)
    // Connections without a request are closed first.
    await once(idle, 'close')
    socket.write('rest')
    assert.match(await answer, /\r\nConnection: close\r\n.*received halfrest/s)
    await closed
  })
}

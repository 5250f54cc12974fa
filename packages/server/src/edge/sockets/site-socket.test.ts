import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import { openPair, protocols } from '../http1/socket-pair.test-kit.ts'
import { findFastSockets } from './fast-sockets.ts'
import { createOpenSocket } from './site-socket.ts'

test('this Node lets us read and write past the streams', () => {
  assert.notEqual(findFastSockets(), null)
})

test('a Node that keeps its sockets elsewhere is used through its streams', (t) => {
  const { getOwnPropertySymbols } = Object
  t.mock.method(Object, 'getOwnPropertySymbols', (value: object) =>
    getOwnPropertySymbols(value).filter((symbol) => !String(symbol).includes('Buffer')),
  )
  assert.equal(findFastSockets(), null)
})

for (const [name, protocol] of Object.entries(protocols)) {
  const openSocket = createOpenSocket(protocol.isFast)

  async function open() {
    const pair = await openPair(protocol)
    const received: Buffer[] = []
    pair.client.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {})
    pair.socket.on('error', () => {})
    return { ...pair, site: openSocket(pair.socket), received }
  }

  describe(`over ${name}`, () => {
    test('what arrives is the same, whenever it is read in place, paused and resumed', async () => {
      using pair = await open()
      const { site, client } = pair
      const [sent, taken]: [Buffer[], Buffer[]] = [[], []]
      site.read((bytes, length) => {
        // The bytes are only valid now.
        taken.push(Buffer.from(bytes.subarray(0, length)))
        if (taken.length % 3 !== 0) return
        site.stream.pause()
        setTimeout(() => site.stream.resume(), 1)
      })
      for (let step = 0; step < 40; step++) {
        if (step === 5) site.readInPlace()
        const part = randomBytes(1 + step * 700)
        sent.push(part)
        client.write(part)
        if (step % 4 === 0) await nextTurn()
      }
      const whole = Buffer.concat(sent)
      await until(() => taken.reduce((sum, { length }) => sum + length, 0) === whole.length)
      assert.ok(Buffer.concat(taken).equals(whole))
    })

    test('what arrives after a hand-over is the same, paused and resumed, and stays as it was', async () => {
      using pair = await open()
      const { site, client } = pair
      const sent = Array.from({ length: 60 }, (_, step) => randomBytes(1 + ((step * 977) % 40_000)))
      const taken: Buffer[] = []
      site.read((bytes, length) => taken.push(Buffer.from(bytes.subarray(0, length))))
      client.write('first')
      await until(() => taken.length > 0)
      const stream = site.handOver()
      stream.on('data', (chunk: Buffer) => {
        taken.push(chunk)
        if (taken.length % 3 !== 0) return
        stream.pause()
        setTimeout(() => stream.resume(), 1)
      })
      const ended = once(stream, 'end')
      for (const part of sent) {
        client.write(part)
        await nextTurn()
      }
      client.end()
      await ended
      assert.ok(Buffer.concat(taken).equals(Buffer.concat([Buffer.from('first'), ...sent])))
    })

    test('after a hand-over no more is read than the stream has room for', async () => {
      using pair = await open()
      const { site, client } = pair
      const stream = site.handOver()
      stream.once('readable', () => {})
      const whole = Buffer.alloc(20_000_000, 7)
      client.write(whole)
      await until(() => stream.readableLength > 0)
      for (let turn = 0; turn < 100; turn++) await nextTurn()
      assert.ok(stream.readableLength < 1_000_000, `${stream.readableLength} bytes are kept`)
      let length = 0
      stream.on('data', (chunk: Buffer) => {
        length += chunk.length
      })
      await until(() => length === whole.length)
    })

    test('small pieces after a hand-over stay as they were, and share memory', async () => {
      using pair = await open()
      const { site, client } = pair
      const taken: Buffer[] = []
      site.handOver().on('data', (chunk: Buffer) => taken.push(chunk))
      for (let count = 1; count <= 5; count++) {
        client.write(`GET /${count} HTTP/1.1`)
        await until(() => taken.length === count)
      }
      const memories = new Set(taken.map(({ buffer }) => buffer))
      assert.ok(!protocol.isFast || memories.size <= 2)
      assert.deepEqual(
        taken.map(String),
        [1, 2, 3, 4, 5].map((count) => `GET /${count} HTTP/1.1`),
      )
    })

    test('what is written arrives in order, now, later or in parts, to a client that pauses', async () => {
      using pair = await open()
      const { site, client, received } = pair
      const sent: Buffer[] = []
      let written = 0
      for (let step = 0; step < 60; step++) {
        if (step === 10) client.pause()
        const part = Buffer.alloc(1 + step * 1_000, step)
        sent.push(Buffer.from(part))
        const onWritten = () => {
          written++
          // Its memory may be used again.
          part.fill(255)
        }
        if (step % 3 === 0) site.writeLater(part, onWritten)
        else if (step % 3 === 1) site.write(part, onWritten)
        else site.write([part.subarray(0, 1), part.subarray(1)], onWritten)
        if (step % 5 === 0) await nextTurn()
      }
      client.resume()
      let isAfterAll = false
      site.afterAll(() => {
        isAfterAll = true
      })
      const whole = Buffer.concat(sent)
      await until(() => received.reduce((sum, { length }) => sum + length, 0) === whole.length)
      assert.ok(Buffer.concat(received).equals(whole))
      await until(() => isAfterAll)
      assert.deepEqual([written, site.unsent], [60, 0])
    })

    test('the end comes after everything, and the client sees it', async () => {
      using pair = await open()
      const { site, client, received } = pair
      site.read(() => {})
      site.readInPlace()
      const ended = once(client, 'end')
      site.write(Buffer.alloc(300_000, 1))
      site.writeLater(Buffer.alloc(10, 2))
      site.closeLingering()
      await ended
      assert.equal(Buffer.concat(received).length, 300_010)
      assert.equal(Buffer.concat(received).at(-1), 2)
    })

    test('a connection that breaks gives back all that was written to it', async () => {
      using pair = await open()
      const { site, client } = pair
      client.pause()
      let written = 0
      for (let count = 0; count < 50; count++) site.write(Buffer.alloc(100_000), () => void written++)
      assert.ok(site.unsent > 0)
      client.destroy()
      site.stream.destroy()
      await until(() => written === 50)
      site.write(Buffer.alloc(10), () => void written++)
      site.writeLater(Buffer.alloc(10), () => void written++)
      await until(() => written === 52)
      assert.equal(site.unsent, 0)
    })

    test('it is known whether anything moves', async () => {
      using pair = await open()
      const { site, client } = pair
      site.read(() => {})
      site.readInPlace()
      site.takeMovement()
      assert.equal(site.takeMovement(), false)
      client.write('x')
      await until(() => site.takeMovement())
      site.write(Buffer.from('x'))
      await until(() => site.takeMovement())
      assert.equal(site.takeMovement(), false)
    })
  })
}

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ignoreError } from '../accept/close-connection.ts'
import { openPair, type Protocol, protocols } from '../http1/socket-pair.test-kit.ts'
import {
  createBatchedWriter,
  createInPlaceReader,
  type DirectWriter,
  dropInPlace,
  type TakeBytes,
} from './fast-sockets.ts'

/** Takes bytes for as long as the test says, and collects them. */
function taker() {
  const state = { isTaking: true, text: '', reads: 0 }
  const take: TakeBytes = (bytes, length) => {
    if (!state.isTaking) return false
    state.text += bytes.toString('latin1', 0, length)
    state.reads++
    return true
  }
  return { state, take }
}

for (const [name, protocol] of Object.entries(protocols)) {
  describe(`an accepted connection over ${name}`, () => {
    test('is read without its stream, and its end is seen', async () => {
      using pair = await openPair(protocol)
      const { state, take } = taker()
      assert.ok(createInPlaceReader()(pair.socket, take))
      const passed: unknown[] = []
      pair.socket.on('data', (chunk) => passed.push(chunk))
      pair.client.end('one, two, three')
      await once(pair.socket, 'end')
      assert.equal(state.text, 'one, two, three')
      assert.deepEqual(passed, [])
    })

    test('gives its stream what was not taken, byte for byte', async () => {
      using pair = await openPair(protocol)
      const { state, take } = taker()
      createInPlaceReader()(pair.socket, take)
      pair.socket.resume()
      pair.client.write('first')
      while (state.text.length < 5) await setImmediate()
      state.isTaking = false
      const rest = randomBytes(1_000_000)
      const read = buffer(pair.socket)
      pair.client.end(rest)
      assert.ok((await read).equals(rest))
      assert.equal(state.text, 'first')
    })

    test('has what arrives dropped once somebody asks for it, while it is paused and resumed', async () => {
      using pair = await openPair(protocol)
      const { state, take } = taker()
      createInPlaceReader()(pair.socket, take)
      const passed: unknown[] = []
      pair.socket.on('data', (chunk) => passed.push(chunk))
      pair.client.write('first')
      while (state.text.length < 5) await setImmediate()
      let dropped = 0
      const isDropping = dropInPlace(pair.socket, (length) => {
        dropped += length
        pair.socket.pause()
        void setImmediate().then(() => pair.socket.resume())
      })
      assert.ok(isDropping)
      pair.client.end(randomBytes(1_000_000))
      await once(pair.socket, 'end')
      assert.equal(dropped, 1_000_000)
      assert.equal(state.text, 'first')
      assert.deepEqual(passed, [])
    })

    test('is not read while it is paused, and loses nothing by it', async () => {
      using pair = await openPair(protocol)
      const { state, take } = taker()
      createInPlaceReader()(pair.socket, (bytes, length) => {
        if (state.reads === 0) pair.socket.pause()
        return pair.socket.isPaused() && state.reads > 0 ? false : take(bytes, length)
      })
      pair.socket.on('data', (chunk: Buffer) => {
        state.text += chunk.toString('latin1')
      })
      const sent = 'x'.repeat(16_000_000)
      pair.client.end(sent)
      while (state.reads === 0) await setImmediate()
      for (let turn = 0; turn < 50; turn++) await setImmediate()
      assert.ok(pair.socket.bytesRead < sent.length / 2, `${pair.socket.bytesRead} bytes were read`)
      pair.socket.resume()
      await once(pair.socket, 'end')
      assert.equal(state.text.length, sent.length)
    })
  })
}

test("two connections do not see each other's bytes", async () => {
  const read = createInPlaceReader()
  using one = await openPair(protocols.TCP)
  using other = await openPair(protocols.TLS)
  const [first, second] = [taker(), taker()]
  read(one.socket, first.take)
  read(other.socket, second.take)
  for (const { socket } of [one, other]) socket.resume()
  for (let turn = 0; turn < 100; turn++) {
    one.client.write('a'.repeat(1000))
    other.client.write('b'.repeat(1000))
  }
  while (first.state.text.length < 100_000 || second.state.text.length < 100_000) await setImmediate()
  assert.equal(first.state.text, 'a'.repeat(100_000))
  assert.equal(second.state.text, 'b'.repeat(100_000))
})

test('anything but a socket is left to its stream', () => {
  const [stream] = duplexPair()
  assert.equal(createInPlaceReader()(stream, taker().take), false)
})

/** More than a connection takes in while nobody reads. */
const tooMuch = Buffer.alloc(32_000_000, 'x')

async function openOutletPair(protocol: Protocol) {
  const pair = await openPair(protocol)
  return { ...pair, outlet: outletOf(pair.socket) }
}

function outletOf(socket: Socket): DirectWriter {
  return createBatchedWriter()(socket) ?? assert.fail('this node is not written past its streams')
}

const written = (outlet: DirectWriter) => new Promise<void>((resolve) => outlet.afterAll(resolve))

for (const [name, protocol] of Object.entries(protocols)) {
  describe(`an accepted connection over ${name}`, () => {
    test('is written at the end of the turn, one after the other', async () => {
      using pair = await openOutletPair(protocol)
      const { client, socket, outlet } = pair
      for (let turn = 0; turn < 100; turn++) {
        assert.ok(outlet.tryWrite(Buffer.from(`${turn},`)))
        assert.ok(!outlet.isIdle)
        await written(outlet)
      }
      assert.equal(socket.writableLength, 0)
      socket.end('end')
      const all = Array.from({ length: 100 }, (_, turn) => `${turn},`).join('')
      assert.equal(await text(client), `${all}end`)
    })

    test('takes one more while a client does not read, and writes it in its turn', async () => {
      using pair = await openOutletPair(protocol)
      const { client, socket, outlet } = pair
      client.pause()
      assert.ok(outlet.tryWrite(tooMuch))
      assert.ok(!outlet.tryWrite(Buffer.from('not taken')))
      await setImmediate()
      assert.ok(outlet.tryWrite(Buffer.from('second')))
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      assert.ok(!outlet.tryWrite(Buffer.from('not taken either')))
      outlet.afterAll(() => socket.end('last'))
      const all = await text(client)
      assert.equal(all.length, tooMuch.length + 'secondlast'.length)
      assert.ok(all.endsWith('xsecondlast'))
      assert.ok(outlet.isIdle)
    })

    test('that is closed before the end of the turn is not written', async () => {
      using pair = await openOutletPair(protocol)
      const { client, socket, outlet } = pair
      outlet.tryWrite(Buffer.from('too late'))
      socket.destroy()
      assert.equal(await text(client).catch(() => ''), '')
    })

    test('whose client leaves is closed with it', async () => {
      using pair = await openOutletPair(protocol)
      const { client, socket, outlet } = pair
      const closed = new Promise((resolve) => socket.on('error', ignoreError).on('close', resolve))
      let acted = false
      outlet.tryWrite(tooMuch)
      outlet.afterAll(() => {
        acted = true
      })
      await setImmediate()
      client.destroy()
      await closed
      assert.ok(!acted, 'what was to happen after everything was written happened without')
    })
  })
}

test('writes of one event loop iteration are sent together, over all connections', async () => {
  using first = await openPair(protocols.TCP)
  using second = await openPair(protocols.TLS)
  const openOutlet = createBatchedWriter()
  const outlets = [first, second].map(({ socket }) => openOutlet(socket) ?? assert.fail())
  for (const outlet of outlets) outlet.tryWrite(Buffer.from('together'))
  await Promise.all(outlets.map(written))
  for (const { client } of [first, second]) {
    const [bytes] = await once(client, 'data')
    assert.equal(String(bytes), 'together')
  }
})

test('closed sockets and anything but sockets are left to their streams', async () => {
  const openOutlet = createBatchedWriter()
  const [stream] = duplexPair()
  assert.equal(openOutlet(stream), null)
  using pair = await openPair(protocols.TCP)
  pair.socket.destroy()
  assert.equal(openOutlet(pair.socket), null)
})

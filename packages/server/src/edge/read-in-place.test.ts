import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createInPlaceReader, dropInPlace, type TakeBytes } from './read-in-place.ts'
import { openPair, protocols } from './socket-pair.test-kit.ts'

/** Takes as long as it is told to, and keeps what it took. */
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

test('two connections do not see the bytes of each other', async () => {
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

test('what is no socket is left to its stream', () => {
  const [stream] = duplexPair()
  assert.equal(createInPlaceReader()(stream, taker().take), false)
})

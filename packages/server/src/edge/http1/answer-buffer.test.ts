import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import { createOpenSocket, type SiteSocket } from '../sockets/site-socket.ts'
import { AnswerBuffer, keepsUp } from './answer-buffer.ts'
import { openPair, type Protocol, protocols } from './socket-pair.test-kit.ts'

interface Pair {
  server: SiteSocket
  client: Socket
  sent: Buffer[]
  received: Buffer[]
}

async function openPairs(count: number, protocol: Protocol) {
  const openSocket = createOpenSocket(protocol.isFast)
  const opened = new DisposableStack()
  const pairs: Pair[] = []
  while (pairs.length < count) {
    const { client, socket } = opened.use(await openPair(protocol))
    const received: Buffer[] = []
    client.on('data', (chunk: Buffer) => received.push(chunk))
    pairs.push({ server: openSocket(socket), client, sent: [], received })
  }
  return { pairs, [Symbol.dispose]: () => opened.dispose() }
}

/** Numbers that are the same on every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const bytesOf = (all: readonly Buffer[]) => all.reduce((total, { length }) => total + length, 0)

for (const [seed, [name, protocol]] of Object.entries(protocols).entries()) {
  test(`every client gets its own bytes in order, however they are sent and read (over ${name})`, async () => {
    using opened = await openPairs(6, protocol)
    const { pairs } = opened
    const pick = numbers(seed)
    const out = new AnswerBuffer()
    let mark = 0
    for (let step = 0; step < 6_000; step++) {
      const pair = pairs[pick(pairs.length)] ?? assert.fail()
      // The first client reads only now and then.
      if (step % 400 === 0) pairs[0]?.client[step % 800 === 0 ? 'pause' : 'resume']()
      for (let parts = 1 + pick(3); parts > 0; parts--) {
        const part = Buffer.alloc(1 + pick(pick(8) === 0 ? 60_000 : 3_000), ++mark % 256)
        pair.sent.push(part)
        out.add(pair.server, part)
      }
      if (pick(3) === 0) out.sendTo(pair.server)
      else out.sendLater(pair.server)
      if (pick(10) === 0) await nextTurn()
    }
    pairs[0]?.client.resume()
    await until(() => pairs.every(({ sent, received }) => bytesOf(sent) === bytesOf(received)))
    for (const { sent, received } of pairs) {
      assert.ok(Buffer.concat(sent).equals(Buffer.concat(received)))
    }
  })

  test(`it is known within a turn whether the client keeps up (over ${name})`, async () => {
    using opened = await openPairs(1, protocol)
    const { pairs } = opened
    const { server, client } = pairs[0] ?? assert.fail()
    client.pause()
    const out = new AnswerBuffer()
    let isBehind = false
    for (let times = 0; !isBehind && times < 10_000; times++) {
      out.add(server, Buffer.alloc(4_000))
      isBehind = !out.sendLater(server)
    }
    assert.equal(isBehind, true)
    assert.equal(keepsUp(server), false)
    assert.ok(server.unsent < 200_000, `${server.unsent} bytes wait`)
  })
}

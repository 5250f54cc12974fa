import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ignoreError } from './ignore-error.ts'
import { openPair, type Protocol, protocols } from './socket-pair.test-kit.ts'
import { createTurnWriter, type Outlet } from './write-by-turn.ts'

/** More than a connection takes in while nobody reads. */
const tooMuch = Buffer.alloc(32_000_000, 'x')

async function openOutletPair(protocol: Protocol) {
  const pair = await openPair(protocol)
  return { ...pair, outlet: outletOf(pair.socket) }
}

function outletOf(socket: Socket): Outlet {
  return createTurnWriter()(socket) ?? assert.fail('this node is not written past its streams')
}

const written = (outlet: Outlet) => new Promise<void>((resolve) => outlet.afterAll(resolve))

for (const [name, protocol] of Object.entries(protocols)) {
  describe(`an accepted connection over ${name}`, () => {
    test('is written at the end of the turn, one after the other', async () => {
      using pair = await openOutletPair(protocol)
      const { client, socket, outlet } = pair
      for (let turn = 0; turn < 100; turn++) {
        assert.ok(outlet.give(Buffer.from(`${turn},`)))
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
      assert.ok(outlet.give(tooMuch))
      assert.ok(!outlet.give(Buffer.from('not taken')))
      await setImmediate()
      assert.ok(outlet.give(Buffer.from('second')))
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      assert.ok(!outlet.give(Buffer.from('not taken either')))
      outlet.afterAll(() => socket.end('last'))
      const all = await text(client)
      assert.equal(all.length, tooMuch.length + 'secondlast'.length)
      assert.ok(all.endsWith('xsecondlast'))
      assert.ok(outlet.isIdle)
    })

    test('that is closed before the end of the turn is not written', async () => {
      using pair = await openOutletPair(protocol)
      const { client, socket, outlet } = pair
      outlet.give(Buffer.from('too late'))
      socket.destroy()
      assert.equal(await text(client).catch(() => ''), '')
    })

    test('whose client leaves is closed with it', async () => {
      using pair = await openOutletPair(protocol)
      const { client, socket, outlet } = pair
      const closed = new Promise((resolve) => socket.on('error', ignoreError).on('close', resolve))
      let acted = false
      outlet.give(tooMuch)
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

test('what is given in one turn leaves in one turn, whatever the connection', async () => {
  using first = await openPair(protocols.TCP)
  using second = await openPair(protocols.TLS)
  const openOutlet = createTurnWriter()
  const outlets = [first, second].map(({ socket }) => openOutlet(socket) ?? assert.fail())
  for (const outlet of outlets) outlet.give(Buffer.from('together'))
  await Promise.all(outlets.map(written))
  for (const { client } of [first, second]) {
    const [bytes] = await once(client, 'data')
    assert.equal(String(bytes), 'together')
  }
})

test('what is no socket, and a socket that is closed, are left to their streams', async () => {
  const openOutlet = createTurnWriter()
  const [stream] = duplexPair()
  assert.equal(openOutlet(stream), null)
  using pair = await openPair(protocols.TCP)
  pair.socket.destroy()
  assert.equal(openOutlet(pair.socket), null)
})

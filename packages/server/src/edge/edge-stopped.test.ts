import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startEdge } from './edge.test-kit.ts'

const acme = 'www.acme.com'
const get = `GET / HTTP/1.1\r\nHost: ${acme}\r\n\r\n`
const stop = { hostname: acme, stopped: true }

/** The statuses of the next answers on an open connection. */
async function statuses(socket: Socket, count: number): Promise<string[]> {
  let text = ''
  for (;;) {
    const found = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status ?? '')
    if (found.length >= count) return found
    const [chunk] = await once(socket, 'data')
    text += chunk
  }
}

async function askOn(sockets: Socket[], pipelined: number): Promise<Set<string>> {
  for (const socket of sockets) socket.write(get.repeat(pipelined))
  const all = await Promise.all(sockets.map((socket) => statuses(socket, pipelined)))
  return new Set(all.flat())
}

for (const parsers of ['both', 'http'] as const) {
  describe(`a stopped domain (${parsers === 'both' ? 'own HTTP/1.1' : 'node:http'})`, () => {
    async function startAcme() {
      const edge = await startEdge({}, parsers)
      await edge.publish('hello', { '/index.html': 'front' })
      edge.routes.set(acme, { kind: 'site', slug: 'hello' })
      return edge
    }

    test('is refused on the next request of every connection, pipelined ones included', async () => {
      await using edge = await startAcme()
      const sockets = await Promise.all(Array.from({ length: 100 }, () => edge.dial()))
      assert.deepEqual(await askOn(sockets, 3), new Set(['200']))
      edge.routes.delete(acme)
      edge.edge.changed(stop)
      assert.deepEqual(await askOn(sockets, 3), new Set(['404']))
      assert.equal(edge.calls.route, 2)
      for (const socket of sockets) socket.destroy()
    })

    test('is not served from memory if the database fails right after', async () => {
      await using edge = await startAcme()
      const sockets = await Promise.all(Array.from({ length: 10 }, () => edge.dial()))
      assert.deepEqual(await askOn(sockets, 1), new Set(['200']))
      edge.database.isAway = true
      edge.edge.changed(stop)
      edge.edge.changed({})
      assert.deepEqual(await askOn(sockets, 2), new Set(['503']))
      edge.database.isAway = false
      edge.routes.delete(acme)
      assert.deepEqual(await askOn(sockets, 1), new Set(['404']))
      for (const socket of sockets) socket.destroy()
    })

    test('is refused to requests whose look-up was running', async () => {
      await using edge = await startAcme()
      const held = Promise.withResolvers<void>()
      edge.database.answers = held.promise
      const socket = await edge.dial()
      const asked = askOn([socket], 2)
      while (edge.calls.route === 0) await setImmediate()
      edge.routes.delete(acme)
      edge.edge.changed(stop)
      held.resolve()
      assert.deepEqual(await asked, new Set(['404']))
      socket.destroy()
    })

    test('is refused to requests that were loading its site', async () => {
      await using edge = await startAcme()
      await edge.ask('/', { host: acme })
      edge.edge.changed({ projectId: 'prj_hello' })
      const held = Promise.withResolvers<void>()
      edge.database.answers = held.promise
      const socket = await edge.dial()
      const asked = askOn([socket], 1)
      while (edge.calls.find === 1) await setImmediate()
      edge.routes.delete(acme)
      edge.edge.changed(stop)
      held.resolve()
      assert.deepEqual(await asked, new Set(['404']))
      socket.destroy()
    })
  })
}

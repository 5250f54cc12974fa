import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import type { SiteBlock } from '../projects/site.ts'
import { startEdge } from './edge.test-kit.ts'

const acme = 'www.acme.com'
const hello = 'hello.masthead.localhost'
const takenDown = { status: 451, reason: 'A court order of <3 May> & more.' } as const
const stop = { slug: 'hello', stopped: true }

async function statuses(socket: Socket, count: number): Promise<string[]> {
  let text = ''
  for (;;) {
    const found = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status ?? '')
    if (found.length >= count) return found
    const [chunk] = await once(socket, 'data')
    text += chunk
  }
}

for (const parsers of ['both', 'http'] as const) {
  describe(`a site that was taken down (${parsers === 'both' ? 'own HTTP/1.1' : 'node:http'})`, () => {
    async function startSite() {
      const edge = await startEdge({}, parsers)
      await edge.publish('hello', { '/index.html': 'front', '/a.txt': 'a' })
      edge.routes.set(acme, { kind: 'site', slug: 'hello' })
      const block = (blocked: SiteBlock | null) => {
        const site = edge.sites.get('hello')
        if (site === undefined) throw new Error('not published')
        edge.sites.set('hello', { ...site, record: { ...site.record, blocked } })
      }
      const sockets = await Promise.all(Array.from({ length: 20 }, () => edge.dial()))
      /** Requests both hosts on every open connection, pipelined. */
      const askAll = async () => {
        const get = [hello, acme].map((host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join('')
        for (const socket of sockets) socket.write(get.repeat(2))
        return new Set((await Promise.all(sockets.map((socket) => statuses(socket, 4)))).flat())
      }
      const hangUp = () => sockets.forEach((socket) => void socket.destroy())
      return { edge, block, askAll, hangUp }
    }

    test('shows the reason on every host, from the next request of open connections on', async () => {
      const { edge, block, askAll, hangUp } = await startSite()
      await using _ = edge
      assert.deepEqual(await askAll(), new Set(['200']))
      block(takenDown)
      edge.edge.changed(stop)
      assert.deepEqual(await askAll(), new Set(['451']))
      for (const host of [hello, acme]) {
        const answer = await edge.ask('/a.txt', { host })
        assert.equal(answer.status, 451)
        assert.match(answer.body.toString(), /A court order of &lt;3 May&gt; &amp; more\./)
        assert.equal(answer.headers['cache-control'], 'no-store')
        assert.equal(answer.headers['x-robots-tag'], 'noindex')
      }
      block(null)
      edge.edge.changed({ slug: 'hello' })
      assert.deepEqual(await askAll(), new Set(['200']))
      hangUp()
    })

    test('is not served from memory if the database fails right after', async () => {
      const { edge, block, askAll, hangUp } = await startSite()
      await using _ = edge
      assert.deepEqual(await askAll(), new Set(['200']))
      edge.database.isAway = true
      block(takenDown)
      edge.edge.changed(stop)
      edge.edge.changed({})
      assert.deepEqual(await askAll(), new Set(['503']))
      edge.database.isAway = false
      assert.deepEqual(await askAll(), new Set(['451']))
      edge.database.isAway = true
      edge.edge.changed({ slug: 'hello' })
      assert.deepEqual(await askAll(), new Set(['451']))
      hangUp()
    })

    test('does not show the reason if its account is suspended', async () => {
      const { edge, block, askAll, hangUp } = await startSite()
      await using _ = edge
      block({ status: 503, reason: null })
      assert.deepEqual(await askAll(), new Set(['503']))
      const answer = await edge.ask('/', { host: acme })
      assert.equal(answer.headers['retry-after'], '3600')
      assert.match(answer.body.toString(), /This site is not available/)
      hangUp()
    })
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const acme = 'www.acme.com'

for (const parsers of ['both', 'http'] as const) {
  describe(`a custom domain (${parsers === 'both' ? 'own HTTP/1.1' : 'node:http'})`, () => {
    test('shows its project, and a hundred domains share one cached copy', async () => {
      await using edge = await startEdge({}, parsers)
      await edge.publish('hello', { '/index.html': 'front' })
      const hosts = Array.from({ length: 100 }, (_, n) => `${n}.acme.com`)
      for (const host of hosts) edge.routes.set(host, { kind: 'site', slug: 'hello' })
      for (const host of [...hosts, '7.Acme.COM.:80']) {
        assert.equal((await edge.ask('/', { host })).body.toString(), 'front')
      }
      assert.deepEqual(edge.calls, { find: 1, manifest: 1, route: 100, read: 1, open: 0 })
    })

    test('is served from memory once it is warm, and so is an unknown one', async () => {
      await using edge = await startEdge({}, parsers)
      await edge.publish('hello', { '/index.html': 'front' })
      edge.routes.set(acme, { kind: 'site', slug: 'hello' })
      for (const host of [acme, 'nobody.example']) await edge.ask('/', { host })
      const cold = { ...edge.calls }
      for (const host of [acme, 'nobody.example', acme]) await edge.ask('/', { host })
      assert.deepEqual(edge.calls, cold)
      assert.equal(cold.route, 2)
    })

    test('redirects to another host with the same path and query', async () => {
      await using edge = await startEdge({}, parsers)
      edge.routes.set('acme.com', { kind: 'redirect', slug: 'acme', to: acme, status: 308 })
      for (const [target, method, location] of [
        ['/a/%7eb?c=%20//d', 'GET', '/a/%7eb?c=%20//d'],
        ['//evil.example/x', 'GET', '//evil.example/x'],
        ['/a#b', 'GET', '/a#b'],
        ['http://acme.com:80/a?b', 'GET', '/a?b'],
        ['/a', 'HEAD', '/a'],
        ['/a', 'POST', '/a'],
        ['*', 'OPTIONS', '/'],
      ] as const) {
        const answer = await edge.exchange(
          `${method} ${target} HTTP/1.1\r\nHost: acme.com\r\nConnection: close\r\n\r\n`,
        )
        assert.match(answer, /^HTTP\/1\.1 308 Permanent Redirect\r\n/)
        assert.ok(answer.includes(`\r\nLocation: http://${acme}:8080${location}\r\n`), answer)
        assert.ok(answer.includes('\r\nContent-Length: 0\r\n'))
        assert.ok(answer.endsWith('\r\n\r\n'))
      }
    })

    test('may be the redirect target of the default subdomain, but not of previews', async () => {
      await using edge = await startEdge({}, parsers)
      const redirect = { to: acme, status: 302 } as const
      await edge.publish('hello', { '/index.html': 'front' }, { redirect })
      await edge.publish('one--hello', { '/index.html': 'preview' }, { redirect })
      edge.routes.set(acme, { kind: 'site', slug: 'hello' })
      const led = await edge.ask('/x?y')
      assert.deepEqual([led.status, led.headers.location], [302, `http://${acme}:8080/x?y`])
      assert.equal(led.headers['cache-control'], 'max-age=0, must-revalidate')
      assert.equal((await edge.ask('/', { host: acme })).body.toString(), 'front')
      const preview = await edge.ask('/', { host: 'one--hello.masthead.localhost' })
      assert.equal(preview.body.toString(), 'preview')
    })

    test('does not redirect challenges', async () => {
      await using edge = await startEdge({}, parsers)
      edge.routes.set('acme.com', { kind: 'redirect', slug: 'acme', to: acme, status: 308 })
      const { status } = await edge.ask('/.well-known/acme-challenge/x', { host: 'acme.com' })
      assert.equal(status, 404)
    })

    test('follows its changes immediately', async () => {
      await using edge = await startEdge({}, parsers)
      await edge.publish('hello', { '/index.html': 'front' })
      await edge.publish('other', { '/index.html': 'other' })
      const ask = async () => (await edge.ask('/', { host: acme })).body.toString()
      assert.match(await ask(), /No site is published at www\.acme\.com\./)
      edge.routes.set(acme, { kind: 'site', slug: 'hello' })
      edge.edge.changed({ hostname: acme })
      assert.equal(await ask(), 'front')
      edge.routes.set(acme, { kind: 'site', slug: 'other' })
      edge.edge.changed({ hostname: acme })
      assert.equal(await ask(), 'other')
      await edge.publish('other', { '/index.html': 'newer' }, { deploymentId: 'dpl_2' })
      edge.edge.changed({ slug: 'other' })
      assert.equal(await ask(), 'newer')
      edge.routes.set(acme, { kind: 'redirect', slug: 'acme', to: 'acme.com', status: 301 })
      edge.edge.changed({ hostname: acme })
      assert.equal((await edge.ask('/', { host: acme })).status, 301)
    })

    test('stays up as it was while the database is down', async () => {
      await using edge = await startEdge({}, parsers)
      await edge.publish('hello', { '/index.html': 'front' })
      edge.routes.set(acme, { kind: 'site', slug: 'hello' })
      await edge.ask('/', { host: acme })
      edge.database.isAway = true
      edge.edge.changed({})
      for (let n = 0; n < 3; n++) {
        assert.equal((await edge.ask('/', { host: acme })).body.toString(), 'front')
      }
      const cold = await edge.ask('/', { host: 'acme.com' })
      assert.deepEqual([cold.status, cold.headers['retry-after']], [503, '5'])
    })
  })
}

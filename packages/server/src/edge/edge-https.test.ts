import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'
import { startHttps } from './https.test-kit.ts'

const acme = 'www.acme.com'
const site = 'hello.masthead.localhost'
const https = { originOf: (hostname: string) => `https://${hostname}`, redirect: true }

for (const parsers of ['both', 'http'] as const) {
  describe(`plain HTTP beside HTTPS (${parsers === 'both' ? 'own HTTP/1.1' : 'node:http'})`, () => {
    async function startSites(redirect: boolean, isProxy = false) {
      const proxies = { isProxy: () => isProxy, country: null }
      const edge = await startEdge({}, parsers, { https: { ...https, redirect }, proxies })
      await edge.publish('hello', { '/index.html': 'front', '/.well-known/acme-challenge/own': 'own' })
      edge.routes.set(acme, { kind: 'site', slug: 'hello' })
      edge.routes.set('new.acme.com', { kind: 'site', slug: 'hello', secured: false })
      edge.routes.set('acme.com', { kind: 'redirect', slug: 'hello', to: acme, status: 301 })
      edge.routes.set('a.com', { kind: 'redirect', slug: 'hello', to: 'b.com', status: 301, https: false })
      return edge
    }

    async function leadsTo(edge: Awaited<ReturnType<typeof startEdge>>, host: string, path = '/x?y=%20') {
      const { status, headers } = await edge.ask(path, { host })
      return [status, headers.location]
    }

    test('redirects to HTTPS with path and query if there is a certificate', async () => {
      await using edge = await startSites(true)
      assert.deepEqual(await leadsTo(edge, site), [308, `https://${site}/x?y=%20`])
      assert.deepEqual(await leadsTo(edge, `${acme}:8080`), [308, `https://${acme}/x?y=%20`])
      assert.deepEqual(await leadsTo(edge, 'localhost'), [308, 'https://localhost/x?y=%20'])
      assert.equal((await edge.ask('/', { host: acme }, 'POST')).status, 308)
    })

    test('is served if there is none', async () => {
      await using edge = await startSites(true)
      assert.equal((await edge.ask('/', { host: 'new.acme.com' })).body.toString(), 'front')
      assert.equal((await edge.ask('/', { host: '127.0.0.1' })).body.toString(), 'platform /')
      assert.equal((await edge.ask('/', { host: 'nobody.example' })).status, 404)
      assert.equal((await edge.ask('/', { host: 'nobody.masthead.localhost' })).status, 404)
    })

    test('redirects between domains in one step, to HTTPS if the target has a certificate', async () => {
      await using edge = await startSites(true)
      assert.deepEqual(await leadsTo(edge, 'acme.com'), [301, `https://${acme}/x?y=%20`])
      assert.deepEqual(await leadsTo(edge, 'a.com'), [301, 'http://b.com:8080/x?y=%20'])
    })

    test('stays plain HTTP if nothing redirects to HTTPS', async () => {
      await using edge = await startSites(false)
      assert.equal((await edge.ask('/')).body.toString(), 'front')
      assert.equal((await edge.ask('/', { host: 'localhost' })).body.toString(), 'platform /')
      assert.deepEqual(await leadsTo(edge, 'acme.com'), [301, `http://${acme}:8080/x?y=%20`])
    })

    test('is HTTPS if a trusted proxy says that the visitor uses it', async () => {
      await using edge = await startSites(true, true)
      await edge.publish('strict', { '/index.html': 'front' }, { hstsMaxAge: 300 })
      const host = 'strict.masthead.localhost'
      for (const said of ['https', 'HTTPS', 'http, https', ' https ']) {
        const answer = await edge.ask('/', { host, 'X-Forwarded-Proto': said })
        assert.deepEqual([answer.status, answer.body.toString()], [200, 'front'], said)
        assert.match(answer.headers['strict-transport-security'] ?? '', /max-age/, said)
      }
      const secure = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' }
      const dashboard = await edge.ask('/', { host: 'localhost', ...secure })
      assert.equal(dashboard.body.toString(), 'platform /')
      const platform = await edge.ask('/', { host: 'masthead.localhost', ...secure })
      assert.equal(platform.headers.location, 'https://localhost/')
      const domain = await edge.ask('/x', { host: 'acme.com', ...secure })
      assert.equal(domain.headers.location, `https://${acme}/x`)
      for (const said of ['http', 'https, http', 'httpsx', '']) {
        const answer = await edge.ask('/', { host, 'X-Forwarded-Proto': said })
        assert.deepEqual([answer.status, answer.headers.location], [308, `https://${host}/`], said)
      }
    })

    test('stays what it is if a stranger says that it is HTTPS', async () => {
      await using edge = await startSites(true)
      assert.equal((await edge.ask('/', { 'X-Forwarded-Proto': 'https' })).status, 308)
      assert.equal((await edge.ask('/', { host: 'localhost', 'X-Forwarded-Proto': 'https' })).status, 308)
    })

    test('never redirects a challenge', async () => {
      await using edge = await startSites(true)
      const own = await edge.ask('/.well-known/acme-challenge/own', { host: acme })
      assert.equal(own.body.toString(), 'own')
      for (const path of ['own', 'none']) {
        assert.equal((await edge.ask(`/.well-known/acme-challenge/${path}`)).status, 404)
      }
    })
  })
}

test('over HTTPS a domain redirects to another over HTTPS, unless that has no certificate', async () => {
  await using edge = await startHttps()
  edge.routes.set('acme.com', { kind: 'redirect', slug: 'hello', to: acme, status: 301 })
  edge.routes.set('a.com', { kind: 'redirect', slug: 'hello', to: 'b.com', status: 301, https: false })
  await edge.certify('acme.com', 'a.com')
  const get = (host: string) => `GET /x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  assert.match(
    await edge.exchange(get('acme.com'), 'acme.com'),
    /\r\nLocation: https:\/\/www\.acme\.com:8443\/x\r\n/,
  )
  assert.match(await edge.exchange(get('a.com'), 'a.com'), /\r\nLocation: http:\/\/b\.com:8080\/x\r\n/)
})

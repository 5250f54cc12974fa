import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCdns } from '../config/cdns.ts'
import { publishedRanges } from '../config/proxy-ranges.ts'
import { RouteAnswers } from '../outgoing/route-token.ts'
import { askStream, startHttps } from './https.test-kit.ts'

const acme = 'www.acme.com'
const routeAnswers = new RouteAnswers(Buffer.alloc(32, 1))
const own = { ranges: ['127.0.0.1'], header: 'cf-connecting-ip', isOwn: true }
const cdns = createCdns({ ...publishedRanges, cloudflare: own })
const proxies = { isProxy: () => false, country: null, cdns }

test('a token is answered on the way of a certificate authority, whatever the name, and says how it arrived', async () => {
  await using edge = await startHttps({ edge: { routeAnswers, proxies }, listener: { proxies } })
  edge.routes.set(acme, { kind: 'site', slug: 'hello' })
  await edge.certify(acme)
  const get = (path: string, host: string) =>
    `GET /.well-known/acme-challenge/${path} HTTP/1.1\r\nHost: ${host}\r\nCF-Connecting-IP: 192.0.2.1\r\nConnection: close\r\n\r\n`
  const answer = await edge.exchange(get('masthead.abc', `${acme}:8443`), acme)
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(answer, /\r\nCache-Control: no-store\r\n/)
  const [, body = ''] = answer.split('\r\n\r\n')
  assert.partialDeepStrictEqual(routeAnswers.open(body), {
    ...{ token: 'masthead.abc', host: acme, secure: true, from: '127.0.0.1' },
  })
  const plain = await edge.ask('/.well-known/acme-challenge/masthead.abc', { host: 'nobody.example' })
  assert.partialDeepStrictEqual(routeAnswers.open(plain.body.toString()), {
    ...{ host: 'nobody.example', secure: false, from: '127.0.0.1' },
  })
  assert.equal(new RouteAnswers(Buffer.alloc(32, 2)).open(plain.body.toString()), null)
  for (const forged of ['', 'x', '.', `${body}x`, body.replace(/^./, 'A'), 'A'.repeat(5_000)]) {
    assert.equal(routeAnswers.open(forged), null, forged.slice(0, 40))
  }
})

test('over HTTP/2 too, a visitor has the address that a trusted proxy tells, and nobody else', async () => {
  for (const [isProxy, expected] of [
    [true, '192.0.2.1'],
    [false, '127.0.0.1'],
  ] as const) {
    const told = { isProxy: () => isProxy, country: null }
    await using edge = await startHttps({
      edge: { routeAnswers, proxies: told },
      listener: { proxies: told },
    })
    edge.routes.set(acme, { kind: 'site', slug: 'hello' })
    await edge.certify(acme)
    const fields = { 'x-forwarded-for': '192.0.2.1' }
    const answer = await askStream(edge.openSession(acme), '/.well-known/acme-challenge/masthead.abc', fields)
    assert.partialDeepStrictEqual(routeAnswers.open(answer.body.toString()), { from: expected })
  }
})

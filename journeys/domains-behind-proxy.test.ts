import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startNginxCdn } from '@masthead/testing/peers/cdn/nginx-cdn.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { startOpensslCa } from '@masthead/testing/peers/openssl-ca.ts'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFile } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { blockingFindings, createTenant, requiredRecord, waitUntilLive } from './tenant.ts'

const cdn = '127.0.0.8'
const zone = '*.masthead A 127.0.0.1\n*.cname.masthead A 127.0.0.1'
/** How the CDN treats each name. */
const modes = {
  'www.acme.test': 'strict',
  'redirecting.acme.test': 'redirecting',
  'flexible.acme.test': 'flexible',
  'caching.acme.test': 'caching',
  'challenging.acme.test': 'challenging',
  'renaming.acme.test': 'renaming',
  'elsewhere.acme.test': 'elsewhere',
} as const
const names = Object.keys(modes) as (keyof typeof modes)[]
const www = 'www.acme.test'
const password = 'correct-horse-battery'

test('a domain behind a proxy goes live through it, and its visitors are known by their own addresses', {
  skip: skipWithout('pebble', 'knot', 'nginx', 'openssl'),
  timeout: 300_000,
}, async (t) => {
  await using started = new AsyncDisposableStack()
  const pebble = started.use(await borrowPebble())
  const ports = { http: pebble.httpPort, https: pebble.tlsPort }
  const dns = started.use(await startKnot({ port: pebble.dnsPort, zones: { test: zone } }))
  const dnsServer = `${dns.address}:${dns.port}`
  const visitorsCa = await startOpensslCa()
  started.defer(() => visitorsCa.remove())
  const { leaf, key } = await visitorsCa.issue({ names })
  const originRoot = await pebble.issuerRootPem()
  const certificate = { chain: `${leaf}${visitorsCa.intermediate}`, key }
  started.use(await startNginxCdn({ address: cdn, ports, names: modes, certificate, originRoot }))
  const rootFile = started.use(await temporaryFile('root.pem', visitorsCa.root))
  const ranges = JSON.stringify({ cloudflare: { ranges: [cdn] } })
  const rangesFile = started.use(await temporaryFile('ranges.json', ranges))
  const masthead = started.use(
    await MastheadProcess.start({
      ports,
      apiHost: '127.0.0.1',
      env: {
        MASTHEAD_PLATFORM_DOMAIN: 'masthead.test',
        MASTHEAD_DNS_SERVERS: dnsServer,
        MASTHEAD_DNS_PORT: String(dns.port),
        MASTHEAD_CA: pebble.directoryUrl,
        MASTHEAD_CA_ROOTS: pebble.rootsFile,
        MASTHEAD_PROXY_RANGES: rangesFile.path,
        NODE_EXTRA_CA_CERTS: rootFile.path,
      },
    }),
  )
  const tenant = await createTenant(masthead, 'acme')
  const records: string[] = []
  const set = (...lines: string[]) => {
    records.push(...lines)
    return dns.setZone('test', [zone, ...records].join('\n'))
  }
  const mark = (hostname: string) =>
    tenant.client.changeDomain({
      params: { project: 'acme', hostname },
      body: { proxied: 'cloudflare' },
    })
  /** As a visitor at this address. */
  async function visit(
    to: { address: string; name: string; secure: boolean; path?: string },
    { from, headers = {} }: { from: string; headers?: Record<string, string> },
  ) {
    const port = to.secure ? ports.https : ports.http
    const ca = to.address === cdn ? visitorsCa.root : originRoot
    const req = (to.secure ? requestSecure : requestPlain)({
      ...{ host: to.address, port, servername: to.name, ca, localAddress: from, path: to.path ?? '/' },
      headers: { host: `${to.name}:${port}`, connection: 'close', ...headers },
    })
    const [answer] = await once(req.end(), 'response')
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
  }

  await t.test('it is proved by its TXT record, then checked and certified through the proxy', async () => {
    const added = await tenant.add(www)
    await set(`${www}. A ${cdn}`)
    await tenant.verify(www)
    const marked = await mark(www)
    assert.equal(marked.proxied?.origin, requiredRecord(added, 'CNAME'))
    const unproved = await tenant.verify(www)
    assert.deepEqual([unproved.state, unproved.proxied?.route], ['pending', null])
    assert.deepEqual(blockingFindings(unproved), ['challenge_missing'])
    await set(`_masthead-challenge.${www}. TXT "${requiredRecord(unproved, 'TXT')}"`)
    const verified = await tenant.verify(www)
    assert.equal(verified.proxied?.route?.http, 'arrived', JSON.stringify(verified.lastCheck?.findings))
    const [live] = await waitUntilLive(tenant)
    assert.equal(live?.proxied?.certificateBy, 'http-01')
    let again = await tenant.verify(www)
    const isThrough = async () => {
      again = await tenant.verify(www)
      return again.proxied?.route?.https === 'arrived'
    }
    await until(isThrough, { everyMs: 500 }).catch(() => assert.fail(JSON.stringify(again.lastCheck)))
    assert.deepEqual(again.proxied?.route, {
      ...{ http: 'arrived', https: 'arrived', encrypted: true, cached: false, visitors: 'known' },
    })
    assert.deepEqual([again.state, again.lastCheck?.findings], ['live', []])
    const page = await visit({ address: cdn, name: www, secure: true }, { from: '127.0.0.21' })
    assert.deepEqual([page.status, page.body], [200, 'acme'])
  })

  await t.test('what is wrong with a proxy is named, with what to change', async () => {
    const proof = await tenant.client.startProof({ body: { domain: 'acme.test' } })
    await set(`${proof.record.fqdn}. TXT "${proof.record.value}"`)
    await tenant.client.verifyProof({ params: { domain: 'acme.test' } })
    const rest = names.filter((name) => name !== www)
    await set(...rest.map((name) => `${name}. A ${cdn}`))
    for (const name of rest) {
      await tenant.add(name)
      await mark(name)
    }
    const check = async (name: keyof typeof modes) => {
      const { state, lastCheck, proxied } = await tenant.verify(name)
      return { state, route: proxied?.route, codes: lastCheck?.findings.map(({ code }) => code) ?? [] }
    }
    assert.deepEqual((await check('challenging.acme.test')).codes, ['proxy_challenge'])
    assert.deepEqual((await check('renaming.acme.test')).codes, ['proxy_host'])
    assert.deepEqual((await check('elsewhere.acme.test')).codes, ['proxy_elsewhere'])
    assert.ok((await check('caching.acme.test')).codes.includes('proxy_cached'))
    // HTTPS cannot reach us before there is a certificate, and HTTP only leads there.
    const early = await check('redirecting.acme.test')
    assert.deepEqual([early.state, early.codes], ['pending', ['proxy_error']])
    // Works until there is a certificate, and is told. From then on it would be a loop.
    const flexible = 'flexible.acme.test'
    await until(async () => (await check(flexible)).codes.includes('proxy_loop'), { everyMs: 500 })
    const around = await visit({ address: cdn, name: flexible, secure: true }, { from: '127.0.0.21' })
    assert.deepEqual([around.status, around.headers.location], [308, `https://${flexible}:${ports.https}/`])
  })

  await t.test(
    'wrong passwords count for the visitor, and a forged header gains nobody anything',
    async () => {
      const body = tarGz({ 'index.html': 'for users', _headers: `/*\n  Basic-Auth: mia:${password}\n` })
      const published = await fetch(`${masthead.origin}/v1/projects/acme/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/gzip' },
        body,
      })
      assert.equal(published.status, 201, await published.clone().text())
      const basic = (given: string) => `Basic ${btoa(`mia:${given}`)}`
      const through = { address: cdn, name: www, secure: true }
      const direct = { address: '127.0.0.1', name: www, secure: true }
      let guesses = 0
      const guess = async (to: typeof through, from: string, forged?: string) => {
        const headers = {
          authorization: basic(`wrong-${guesses++}`),
          ...(forged && { 'cf-connecting-ip': forged, 'x-forwarded-for': forged }),
        }
        return (await visit(to, { from, headers })).status
      }
      const isLimited = async (to: typeof through, from: string, forge?: () => string) => {
        for (let tries = 0; tries < 30; tries++) {
          if ((await guess(to, from, forge?.())) === 429) return true
        }
        return false
      }
      let forged = 0
      const another = () => `203.0.113.${forged++ % 250}`
      assert.ok(await isLimited(through, '127.0.0.31'), 'one visitor of the proxy')
      // Another visitor of the same proxy is not held up by that.
      const right = { authorization: basic(password) }
      const other = await visit(through, { from: '127.0.0.32', headers: right })
      assert.deepEqual([other.status, other.body], [200, 'for users'])
      assert.equal(await guess(through, '127.0.0.33'), 401)
      // The proxy replaces the header, and a direct visitor is not believed.
      assert.ok(await isLimited(through, '127.0.0.34', another), 'a visitor who forges the header')
      assert.ok(await isLimited(direct, '127.0.0.35', another), 'a direct visitor who forges the header')
      // From the proxy's address, but at a name that is no longer marked, the header does not count either.
      await tenant.client.changeDomain({
        params: { project: 'acme', hostname: www },
        body: { proxied: null },
      })
      assert.ok(await isLimited(direct, cdn, another), 'the proxy at a name that is not behind it')
    },
  )
})

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { createAddresses } from '../../config/addresses.ts'
import { publishedRanges } from '../../config/proxy-ranges.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { RouteAnswers } from '../../outgoing/route-token.ts'
import {
  by,
  type Checking,
  cname,
  domainEventsOf,
  naming,
  outcome,
  startChecking,
  stopsOf,
  type Tenant,
  timelineOf,
  txt,
} from '../checking.test-kit.ts'
import { readDomain } from '../claims/read-domain.ts'
import { markProxied } from '../config/mark-proxied.ts'
import type { DomainContext } from '../context.ts'
import { createRoutes } from '../dns-check/observe-route.ts'
import type { DomainRow } from '../domain.ts'
import { proveDomain } from '../proofs/proof-row.test-kit.ts'
import { applyCheck } from './apply-check.ts'

const skip = skipWithout('knot')
const name = 'www.acme.test'
const proxyAddress = '127.0.0.9'
const behind = `www 60 A ${proxyAddress}`
const challenge = (row: DomainRow, label = 'www') => `_masthead-challenge.${label} 60 TXT "${row.challenge}"`

/** A proxy that leads to an edge, for all names. */
async function startProxy() {
  const answers = new RouteAnswers(Buffer.alloc(32, 1))
  const hosts: string[] = []
  const server = createServer((req, res) => {
    const host = (req.headers.host ?? '').replace(/:\d+$/, '')
    hosts.push(host)
    const token = (req.url ?? '').replace('/.well-known/acme-challenge/', '')
    res.end(answers.sign({ token, host, secure: false, from: proxyAddress }))
  })
  await new Promise<void>((resolve) => server.listen(0, proxyAddress, resolve))
  const { port } = server.address() as AddressInfo
  return { answers, hosts, port, [Symbol.asyncDispose]: async () => void server.close() }
}

function through(
  checking: Checking,
  { answers, port }: { answers: RouteAnswers; port: number },
): DomainContext {
  const { context } = checking
  // Nothing listens on port 1.
  const addresses = createAddresses({ ...naming, httpPort: port, publicHttpsPort: 1, httpsRedirect: false })
  const other = { ranges: [proxyAddress], header: 'x-forwarded-for', isOwn: true }
  const { platformDomain } = naming
  const parts = { dns: context.dns, addresses, platformDomain, redirectsToHttps: false, answers }
  return { ...context, addresses, routes: createRoutes({ ...parts, ranges: { ...publishedRanges, other } }) }
}

async function mark(context: DomainContext, tenant: Tenant, proxied: ProxyProvider | null, hostname = name) {
  await markProxied(context, { project: tenant.project, hostname, proxied, by })
}

onEachDatabase('a domain behind a proxy', ({ open }) => {
  test('is proved by its TXT record, never by the address, and marking gains a stranger nothing', {
    skip,
  }, async () => {
    await using database = await open()
    await using proxy = await startProxy()
    await using checking = await startChecking(database, { 'acme.test': behind })
    const using = through(checking, proxy)
    const set = (...lines: string[]) => checking.nameserver.setZone('acme.test', lines.join('\n'))
    const check = async (tenant: Tenant, hostname = name) => tenant.verify(hostname, using)
    const owner = await checking.addTenant('owner')
    const stranger = await checking.addTenant('stranger')
    const own = await owner.add(name)
    const other = await stranger.add(name)

    // The route leads here, for anyone who asks. Nobody has proved anything, so nobody is asked.
    for (const tenant of [owner, stranger]) {
      await mark(using, tenant, 'other')
      const row = await check(tenant)
      assert.deepEqual([outcome(row), stopsOf(row)], [['pending', 0], ['challenge_missing']])
    }
    assert.deepEqual(proxy.hosts, [])
    assert.equal(await checking.servedAt(name), null)

    await set(behind, challenge(own))
    assert.deepEqual(outcome(await check(stranger)), ['pending', 0])
    assert.deepEqual(proxy.hosts, [])
    assert.deepEqual(outcome(await check(owner)), ['verified', 1])
    assert.equal(new Set(proxy.hosts).size, 1)
    assert.equal((await owner.row(name)).proof, 'challenge')
    assert.equal(await checking.servedAt(name), 'owner')

    // The stranger's token of before is void, even if somebody sets it now.
    await set(behind, challenge(own), challenge(other))
    assert.deepEqual(outcome(await check(stranger)), ['pending', 0])
    assert.notEqual((await stranger.row(name)).challenge, other.challenge)

    // Neither marking it as another one, nor taking the mark away, changes anything.
    for (const proxied of ['cloudflare', null, 'other'] as const) {
      await mark(using, stranger, proxied)
      assert.deepEqual(outcome(await check(stranger)), ['pending', 0], String(proxied))
      assert.equal(await checking.servedAt(name), 'owner')
    }
    assert.deepEqual(outcome(await check(owner)), ['verified', 1])
    assert.ok((await timelineOf(database.read, own)).includes('proxied'))
    assert.ok((await domainEventsOf(database.read, own)).includes('domain.proxied_changed'))

    // A mark is of one project: nobody reaches that of another account.
    await assert.rejects(
      markProxied(using, { project: stranger.project, hostname: 'shop.acme.test', proxied: 'other', by }),
      { code: 'not_found' },
    )
    await owner.add('shop.acme.test')
    await assert.rejects(readDomain(using, stranger.project, 'shop.acme.test'), { code: 'not_found' })
  })

  test('is kept through every change between with and without a proxy, by its owner alone', {
    skip,
  }, async () => {
    await using database = await open()
    await using proxy = await startProxy()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const using = through(checking, proxy)
    const set = (...lines: string[]) => checking.nameserver.setZone('acme.test', lines.join('\n'))
    const check = async (tenant: Tenant, hostname = name) => outcome(await tenant.verify(hostname, using))
    const live = (row: DomainRow) =>
      database.write((tx) =>
        tx.updateTable('domains').set({ state: 'live' }).where('id', '=', row.id).execute(),
      )
    const owner = await checking.addTenant('owner')
    const stranger = await checking.addTenant('stranger')
    const own = await owner.add(name)
    const other = await stranger.add(name)
    await set(cname(own))
    assert.deepEqual(await check(owner), ['verified', 1])
    await live(own)

    // Marked first: as long as DNS leads straight here, its CNAME still proves it.
    await mark(using, owner, 'other')
    assert.deepEqual(await check(owner), ['live', 1])
    // A stranger who is proved by a TXT record does not get past the holder's own CNAME.
    await mark(using, stranger, 'other')
    await set(cname(own), challenge(other))
    assert.deepEqual(await check(stranger), ['pending', 0])
    assert.deepEqual(proxy.hosts, [])

    // The proxy is on: what proved the name is hidden, so it needs a proof. It is served meanwhile.
    await set(behind)
    assert.deepEqual(await check(owner), ['drifted', 1])
    assert.equal(await checking.servedAt(name), 'owner')
    await set(behind, challenge(own))
    assert.deepEqual(await check(owner), ['live', 1])
    // From then on, the proof was given.
    await set(behind)
    assert.deepEqual(await check(owner), ['live', 1])

    // Unmarked while the proxy is still in front: DNS is wrong. Off again: its CNAME proves it.
    await mark(using, owner, null)
    assert.deepEqual(await check(owner), ['drifted', 1])
    assert.equal((await owner.row(name)).proof, null)
    await set(cname(own))
    assert.deepEqual(await check(owner), ['live', 1])

    // The owner of the zone gives the name to the other account: by its CNAME, or by its TXT record behind a proxy.
    await set(cname(other))
    assert.deepEqual(await check(stranger), ['verified', 1])
    assert.deepEqual(outcome(await owner.row(name)), ['failed', 0])
    await mark(using, owner, 'other')
    await set(behind, challenge(own))
    assert.deepEqual(await check(owner), ['pending', 0], 'the old token is void')
    await set(behind, challenge(await owner.row(name)))
    assert.deepEqual(await check(owner), ['verified', 1])
    assert.deepEqual(outcome(await stranger.row(name)), ['failed', 0])
  })

  test('a check that was judged before a mark changed is not applied', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const { context } = checking
    const owner = await checking.addTenant('owner')
    const row = await owner.add(name)
    await checking.nameserver.setZone('acme.test', cname(row))
    await owner.verify(name)
    const result = JSON.parse((await owner.row(name)).last_check ?? '')
    const apply = (proxy: string | null) =>
      applyCheck(context, { domain: row, result: { ...result, proxy }, proof: null, by, lease: null })
    assert.equal((await apply('other')).kind, 'retry')
    await mark(context, owner, 'other')
    assert.equal((await apply(null)).kind, 'retry')
    assert.equal((await apply('cloudflare')).kind, 'retry')
    assert.equal((await apply('other')).kind, 'applied')
  })

  test("needs no further proof under the account's own domain, and cannot be had under another's", {
    skip,
  }, async () => {
    await using database = await open()
    await using proxy = await startProxy()
    await using checking = await startChecking(database, { 'acme.test': `${behind}\n@ 60 A ${proxyAddress}` })
    const using = through(checking, proxy)
    const set = (...lines: string[]) => checking.nameserver.setZone('acme.test', lines.join('\n'))
    const owner = await checking.addTenant('owner')
    const stranger = await checking.addTenant('stranger')
    const early = await stranger.add(name)
    await mark(using, stranger, 'other')
    await proveDomain(database, owner.account.id, 'acme.test')
    for (const hostname of [name, 'acme.test']) {
      await owner.add(hostname)
      await mark(using, owner, 'other', hostname)
      const row = await owner.verify(hostname, using)
      assert.deepEqual([outcome(row), row.proof], [['verified', 1], 'account'], hostname)
    }
    await set(behind, challenge(early))
    assert.deepEqual(outcome(await stranger.verify(name, using)), ['pending', 0])
    assert.deepEqual(stopsOf(await stranger.row(name)), ['domain_proved_elsewhere'])
    assert.equal(await checking.servedAt(name), 'owner')
  })

  test('an apex behind a proxy needs its own proof, and private addresses are never asked', {
    skip,
  }, async () => {
    await using database = await open()
    await using proxy = await startProxy()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const using = through(checking, proxy)
    const set = (...lines: string[]) => checking.nameserver.setZone('acme.test', lines.join('\n'))
    const owner = await checking.addTenant('owner')
    const sibling = await owner.add(name)
    const apex = await owner.add('acme.test')
    await mark(using, owner, 'other', 'acme.test')
    const check = async () => {
      const row = await owner.verify('acme.test', using)
      return [row.state, ...stopsOf(row)]
    }
    await set(`@ 60 A ${proxyAddress}`, cname(sibling))
    assert.deepEqual(await check(), ['pending', 'challenge_missing'])
    for (const address of ['10.0.0.1', '127.0.0.8', '169.254.169.254', '192.168.1.1']) {
      await set(`@ 60 A ${address}`, txt(apex))
      assert.deepEqual(await check(), ['pending', 'proxy_private'], address)
      // One private address is enough, wherever it is in the list.
      await set(`@ 60 A ${proxyAddress}`, `@ 60 A ${address}`, txt(apex))
      assert.deepEqual(await check(), ['pending', 'proxy_private'], address)
    }
    assert.deepEqual(proxy.hosts, [])
    // The operator named the addresses of this provider, not those of another.
    await set(`@ 60 A ${proxyAddress}`, txt(apex))
    await mark(using, owner, 'fastly', 'acme.test')
    assert.deepEqual(await check(), ['pending', 'proxy_private'])
    await mark(using, owner, 'other', 'acme.test')
    assert.deepEqual(await check(), ['verified'])
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { DomainRoute } from '../../projects/site.ts'
import { DomainRouteCache } from './site-cache.ts'

const host = 'www.acme.com'
const site: DomainRoute = { kind: 'site', slug: 'acme' }
const redirect: DomainRoute = { kind: 'redirect', slug: 'acme', to: 'acme.com', status: 308 }

/** A cache of routes whose loads the test resolves. */
function heldRoutes(now = () => 0) {
  const loads: PromiseWithResolvers<DomainRoute | null>[] = []
  const outdated: string[] = []
  const routes = new DomainRouteCache({
    load: () => {
      const held = Promise.withResolvers<DomainRoute | null>()
      loads.push(held)
      return held.promise
    },
    onStale: (hostname) => outdated.push(hostname),
    now,
  })
  const end = (at: number, route: DomainRoute | null) => loads[at]?.resolve(route)
  const fail = (at: number) => loads[at]?.reject(new Error('the database is away'))
  async function warm(route: DomainRoute | null) {
    const loaded = routes.load(host)
    end(loads.length - 1, route)
    await loaded
  }
  return { routes, outdated, count: () => loads.length, end, fail, warm }
}

test('concurrent calls share one load, and the result is cached, even if there is none', async () => {
  for (const route of [site, redirect, null]) {
    const { routes, count, end } = heldRoutes()
    const asked = [routes.load(host), routes.load(host)]
    end(0, route)
    assert.deepEqual(await Promise.all(asked), [route, route])
    assert.equal(routes.get(host), route)
    assert.equal(count(), 1)
  }
})

test('a change to the host or its project invalidates it, others do not', async () => {
  const cases = [
    [site, { hostname: host }, false],
    [site, { slug: 'acme' }, false],
    [site, {}, false],
    [site, { hostname: 'acme.com' }, true],
    [site, { slug: 'other' }, true],
    [site, { projectId: 'prj_1' }, true],
    [redirect, { hostname: host }, false],
    [redirect, { slug: 'acme' }, false],
    [null, { hostname: host }, false],
    [null, {}, false],
    [null, { slug: 'acme' }, true],
  ] as const
  for (const [route, change, isKept] of cases) {
    const { routes, warm } = heldRoutes()
    await warm(route)
    routes.changed(change)
    assert.equal(routes.get(host) === route, isKept, JSON.stringify([route, change]))
  }
})

test('while the database is down a changed route is used as it was', async () => {
  let now = 0
  const { routes, outdated, fail, warm } = heldRoutes(() => now)
  await warm(site)
  routes.changed({ hostname: host })
  const asked = routes.load(host)
  fail(1)
  assert.equal(await asked, site)
  assert.equal(routes.get(host), site)
  assert.deepEqual(outdated, [host])
  now = 1000
  assert.equal(routes.get(host), undefined)
})

test('while the database is down a stopped host is not served, in whatever order changes come', async () => {
  const stop = { hostname: host, stopped: true }
  const lost = { stopped: true }
  for (const changes of [
    [stop],
    [lost],
    [{ hostname: host }, stop],
    [stop, { hostname: host }],
    [stop, { slug: 'acme' }, {}],
  ]) {
    const { routes, fail, warm } = heldRoutes()
    await warm(site)
    for (const change of changes) routes.changed(change)
    assert.equal(routes.get(host), undefined)
    const asked = routes.load(host)
    fail(1)
    await assert.rejects(asked, /the database is away/)
    assert.equal(routes.get(host), undefined)
  }
})

test('a host that was stopped during a load is loaded again, also for earlier callers', async () => {
  const { routes, count, end } = heldRoutes()
  const before = routes.load(host)
  routes.changed({ hostname: host, stopped: true })
  const after = routes.load(host)
  assert.equal(count(), 2)
  end(0, site)
  end(1, null)
  assert.deepEqual(await Promise.all([before, after]), [null, null])
  assert.equal(count(), 2)
  assert.equal(routes.get(host), null)
})

test('a load that fails after its host was stopped does not bring back the stale route', async () => {
  const { routes, fail, warm } = heldRoutes()
  await warm(site)
  routes.changed({ hostname: host })
  const asked = routes.load(host)
  routes.changed({ hostname: host, stopped: true })
  fail(1)
  await assert.rejects(asked)
})

test('stopping another host delays nobody', async () => {
  const { routes, count, end } = heldRoutes()
  const asked = routes.load(host)
  routes.changed({ hostname: 'acme.com', stopped: true })
  end(0, site)
  assert.equal(await asked, site)
  assert.equal(routes.get(host), site)
  assert.equal(count(), 1)
})

test('loading a host that is stopped over and over fails in the end', async () => {
  const { routes, count, end } = heldRoutes()
  const asked = assert.rejects(routes.load(host), /changes faster than it can be loaded/)
  for (let at = 0; at < 3; at++) {
    await setImmediate()
    assert.equal(count(), at + 1)
    routes.changed({ hostname: host, stopped: true })
    end(at, site)
  }
  await asked
  assert.equal(routes.get(host), undefined)
  assert.equal(count(), 3)
})

test('after more changes than are remembered a load is not trusted', async () => {
  const { routes, count, end } = heldRoutes()
  const asked = routes.load(host)
  for (let n = 0; n < 5000; n++) routes.changed({ hostname: `${n}.example` })
  end(0, site)
  await setImmediate()
  assert.equal(count(), 2)
  end(1, null)
  assert.equal(await asked, null)
})

test('memory is bounded for known and unknown hosts', async () => {
  const load = async (hostname: string) => (hostname.startsWith('no') ? null : site)
  const routes = new DomainRouteCache({ load, maxRoutes: 2, maxUnknown: 1 })
  const hosts = ['a.example', 'b.example', 'c.example', 'no1.example', 'no2.example']
  for (const hostname of hosts) await routes.load(hostname)
  const known = hosts.filter((hostname) => routes.get(hostname) !== undefined)
  assert.deepEqual(known, ['b.example', 'c.example', 'no2.example'])
})

const covered: DomainRoute = { kind: 'site', slug: 'acme', wildcard: '*.acme.com' }

test('a wildcard that comes, goes or changes concerns the names that it covers or might cover', async () => {
  const wildcard = '*.acme.com'
  for (const [route, change, isKept] of [
    [covered, { hostname: wildcard }, false],
    [covered, { hostname: wildcard, stopped: true }, false],
    [covered, { hostname: host, stopped: true }, false],
    [covered, { hostname: '*.www.acme.com' }, true],
    [covered, { hostname: 'shop.acme.com' }, true],
    [null, { hostname: wildcard }, false],
    // Without the exact name, the wildcard may cover it.
    [null, { hostname: host, stopped: true }, false],
    [site, { hostname: wildcard }, true],
  ] as const) {
    const { routes, warm } = heldRoutes()
    await warm(route)
    routes.changed(change)
    assert.equal(routes.get(host) !== undefined, isKept, JSON.stringify([route, change]))
  }
})

test('any number of names below a wildcard takes up its own share of the cache only', async () => {
  const routes = new DomainRouteCache({
    load: async (name) => (name.endsWith('.acme.com') ? covered : { kind: 'site', slug: 'other' }),
    maxRoutes: 100,
    maxPerWildcard: 10,
  })
  const others = Array.from({ length: 50 }, (_, n) => `www.other${n}.com`)
  for (const name of others) await routes.load(name)
  for (let n = 0; n < 5_000; n++) await routes.load(`${n}.acme.com`)
  for (const name of others) assert.notEqual(routes.get(name), undefined, name)
  const kept = Array.from({ length: 5_000 }, (_, n) => routes.get(`${n}.acme.com`)).filter(Boolean)
  assert.equal(kept.length, 10)
  assert.equal(routes.get('4999.acme.com'), covered)
  routes.changed({ hostname: '*.acme.com' })
  assert.equal(routes.get('4999.acme.com'), undefined)
})

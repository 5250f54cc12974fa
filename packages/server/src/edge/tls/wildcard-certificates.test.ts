import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { acme, certificate, from, isContext, openCache, other } from './certificate-cache.test-kit.ts'

const wild = '*.acme.com'

test('a wildcard covers names one label below it, unless they have a certificate of their own', async () => {
  const { find, cache, certificates, loads } = openCache()
  certificates.set(wild, other)
  certificates.set('*.com', other)
  const shared = await find('Shop.Acme.com')
  assert.ok(isContext(shared) && shared !== (await find(acme)))
  assert.equal(cache.find('shop.acme.com', from), shared)
  assert.equal(await find('blog.acme.com'), shared)
  for (const name of ['acme.com', 'a.shop.acme.com', 'acme.com.evil.test', 'com']) {
    assert.equal(await find(name), 'unknown', name)
  }
  assert.ok(!loads.includes('*.com'))
  certificates.set('shop.acme.com', certificate)
  cache.changed({ hostname: 'shop.acme.com' })
  assert.notEqual(await find('shop.acme.com'), shared)
  certificates.delete(wild)
  cache.changed({ hostname: wild })
  assert.equal(await find('blog.acme.com'), 'unknown')
  assert.ok(isContext(await find('shop.acme.com')))
})

test('a wildcard of the platform domain is never that of a customer', async () => {
  const { find, certificates, loads } = openCache()
  certificates.set('*.masthead.test', certificate)
  assert.equal(await find('hello.masthead.test'), 'unknown')
  assert.deepEqual(
    loads.filter((name) => name.startsWith('*')),
    [],
  )
})

test('visits to many names below a wildcard push out no other certificate and count as no misses', async () => {
  const { find, cache, certificates, loads } = openCache({
    maxContexts: 2,
    unknownNames: { perCaller: 5, total: 50, totalForFirstMiss: 80 },
  })
  certificates.set(wild, other)
  const before = await find(acme)
  for (let n = 0; n < 200; n++) assert.ok(isContext(await find(`${n}.acme.com`)))
  assert.equal(cache.find(acme, from), before)
  assert.equal(loads.filter((name) => name === wild).length, 1)
})

test('handshakes wait for a pending wildcard, and share the wait', async () => {
  const { find, cache, certificates, world } = openCache()
  world.onTheirWay.add(wild)
  const found = ['a', 'b', 'c'].map((label) => find(`${label}.acme.com`))
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  const late = find('d.acme.com')
  certificates.set(wild, certificate)
  cache.changed({ hostname: wild })
  const contexts = await Promise.all([...found, late])
  assert.ok(contexts.every(isContext))
  assert.equal(new Set(contexts).size, 1)
})

test('a certificate that is pending does not keep visitors waiting if a wildcard covers its name', async () => {
  const { find, certificates, world } = openCache()
  certificates.set(wild, certificate)
  world.onTheirWay.add('new.acme.com')
  assert.ok(isContext(await find('new.acme.com')))
})

test('while the database is down a known wildcard is used for names that are known to be below it', async () => {
  const { find, cache, certificates, world } = openCache()
  certificates.set(wild, certificate)
  const before = await find('shop.acme.com')
  world.isAway = true
  cache.changed({ hostname: wild })
  assert.equal(await find('shop.acme.com'), before)
  assert.equal(await find('cold.acme.com'), 'unavailable')
})

test('a certificate for all projects is used at once, also by handshakes that wait for their own', async () => {
  const { find, cache, certificates, world } = openCache()
  const [known, absent, waiting] = ['a', 'b', 'c'].map((slug) => `${slug}.masthead.test`) as [
    string,
    string,
    string,
  ]
  certificates.set(known, other)
  const before = await find(known)
  assert.equal(await find(absent), 'unknown')
  world.onTheirWay.add(waiting)
  const wait = find(waiting)
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  for (const name of [known, absent, waiting]) certificates.set(name, certificate)
  cache.changed({ hostname: '*.masthead.test' })
  const found = await Promise.all([find(known), find(absent), wait])
  assert.ok(found.every(isContext))
  assert.equal(new Set(found).size, 1)
  assert.notEqual(found[0], before)
})

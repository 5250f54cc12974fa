import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { certificate, from, isContext, openCache, other } from './certificate-cache.test-kit.ts'

const wild = '*.acme.com'
const name = 'theirs.acme.com'

test("the certificate of a wildcard is never used for another account's name below it", async () => {
  const { find, cache, certificates, world, loads } = openCache()
  certificates.set(wild, other)
  world.uncovered.add(name)
  assert.equal(await find(name), 'unknown')
  const looks = loads.length
  assert.equal(cache.find(name, from), 'unknown')
  assert.equal(loads.length, looks)
  assert.ok(isContext(await find('ours.acme.com')))
  assert.equal(await find(name), 'unknown')

  world.uncovered.delete(name)
  cache.changed({ hostname: name, stopped: true })
  assert.equal(await find(name), await find('ours.acme.com'))
  world.uncovered.add(name)
  cache.changed({ hostname: name, stopped: true })
  assert.equal(await find(name), 'unknown')
})

test('its own certificate is waited for, even while the wildcard is pending too', async () => {
  const { find, cache, certificates, world } = openCache()
  world.uncovered.add(name)
  world.onTheirWay.add(name).add(wild)
  const [first, other] = [find(name), find('ours.acme.com')]
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  const second = find(name)
  certificates.set(wild, { ...certificate })
  cache.changed({ hostname: wild })
  const shared = await other
  certificates.set(name, certificate)
  cache.changed({ hostname: name })
  const contexts = await Promise.all([first, second])
  assert.ok(isContext(shared) && contexts.every(isContext) && !contexts.includes(shared))
})

test('while the database is down it is refused as before', async () => {
  const { find, cache, certificates, world } = openCache()
  certificates.set(wild, other)
  world.uncovered.add(name)
  await find(name)
  await find('ours.acme.com')
  world.isAway = true
  cache.changed({})
  assert.equal(await find(name), 'unknown')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRoot } from '../../certificates/internal-ca/internal-ca.ts'
import { certificateFor } from '../https.test-kit.ts'
import { CertificateCache, type ServedCertificate } from './certificate-cache.ts'

const acme = 'www.acme.com'
const certificate: ServedCertificate = await certificateFor(await createRoot(Date.now()), acme)

function openCache() {
  const world = { isAway: false, now: Date.now(), onLoad: () => {} }
  const loads: string[] = []
  const load = async (name: string) => {
    loads.push(name)
    world.onLoad()
    if (world.isAway) throw new Error('the database is away')
    return certificate
  }
  const cache = new CertificateCache({
    platformDomain: 'masthead.test',
    dashboardHost: 'dash.test',
    source: { ofDomain: load, ofPlatform: load, isPending: async () => false, validation: async () => null },
    log: { error() {} },
    now: () => world.now,
  })
  return { cache, world, loads, find: async (name: string) => cache.find(name, '192.0.2.1') }
}

const isContext = (found: unknown) => typeof found === 'object'

test('a known certificate is used for as long as the database is down, however often it changed', async () => {
  const { find, cache, world, loads } = openCache()
  await find(acme)
  world.isAway = true
  for (let passed = 0; passed < 60_000; passed += 100) {
    world.now += 100
    if (passed % 7_000 === 0) cache.changed({ hostname: acme })
    assert.ok(isContext(await find(acme)), `after ${passed} ms`)
  }
  assert.ok(loads.length < 60, `${loads.length} look-ups`)
  cache.changed({ hostname: acme, stopped: true })
  assert.equal(await find(acme), 'unavailable')
})

test('a certificate that changed while it was loaded is used if it cannot be loaded again', async () => {
  const { find, cache, world } = openCache()
  world.onLoad = () => cache.changed({ hostname: acme })
  assert.ok(isContext(await find(acme)))
  world.onLoad = () => {}
  world.isAway = true
  assert.ok(isContext(await find(acme)))
  cache.changed({ hostname: acme, stopped: true })
  assert.equal(await find(acme), 'unavailable')
})

test('one that was stopped while it was loaded is not', async () => {
  const { find, cache, world } = openCache()
  world.onLoad = () => {
    cache.changed({ hostname: acme, stopped: true })
    world.isAway = true
  }
  await find(acme)
  assert.equal(await find(acme), 'unavailable')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { hour, minute } from '../../kernel/clock.ts'
import { acme, certificate, from, isContext, openCache, other } from './certificate-cache.test-kit.ts'

test('a certificate is loaded once for concurrent handshakes, and then comes from memory', async () => {
  const { find, loads, cache } = openCache()
  const found = await Promise.all(Array.from({ length: 50 }, () => find(acme)))
  assert.equal(new Set(found).size, 1)
  assert.ok(isContext(cache.find('WWW.Acme.com', from)))
  assert.deepEqual(loads, [acme])
})

test('a name without a certificate is remembered until one is installed', async () => {
  const { find, loads, cache, certificates } = openCache()
  assert.equal(await find('new.acme.com'), 'unknown')
  const looks = loads.length
  for (let n = 0; n < 3; n++) assert.equal(await find('new.acme.com'), 'unknown')
  assert.equal(loads.length, looks)
  certificates.set('new.acme.com', certificate)
  cache.changed({ hostname: 'new.acme.com' })
  assert.ok(isContext(await find('new.acme.com')))
})

test('all handshakes wait for a pending certificate, until it is given up or takes too long', async () => {
  const { find, cache, certificates, world } = openCache({ pendingTimeoutMs: 50 })
  const name = 'new.acme.com'
  world.onTheirWay.add(name)
  const [first, second] = [find(name), setImmediate().then(() => find(name))]
  await setImmediate()
  certificates.set(name, certificate)
  cache.changed({ hostname: name })
  assert.ok(isContext(await first))
  assert.equal(await second, await first)

  world.onTheirWay.add('slow.acme.com').add('lost.acme.com')
  assert.equal(await find('slow.acme.com'), 'unknown')
  const lost = find('lost.acme.com')
  world.onTheirWay.delete('lost.acme.com')
  cache.changed({ hostname: 'lost.acme.com' })
  assert.equal(await lost, 'unknown')
})

test('handshakes wait for a pending platform name too', async () => {
  const { find, cache, certificates, world } = openCache()
  for (const name of ['hello.masthead.test', 'one--hello.masthead.test', 'masthead.test', 'dash.test']) {
    world.onTheirWay.add(name)
    const found = find(name)
    await setImmediate()
    certificates.set(name, certificate)
    cache.changed({ hostname: name })
    assert.ok(isContext(await found), name)
  }
})

test('a certificate that is installed right after the first look-up is used', async () => {
  const name = 'new.acme.com'
  const { find, certificates, loads } = openCache({
    source: {
      ofDomain: async (asked) => {
        loads.push(asked)
        return certificates.get(asked) ?? null
      },
      isPending: async (asked) => {
        certificates.set(asked, certificate)
        return false
      },
      ofPlatform: async () => null,
      validation: async () => null,
    },
  })
  assert.ok(isContext(await find(name)))
  assert.deepEqual(loads, [name, '*.acme.com', name])
})

test('an invalid host name is refused without a look-up', async () => {
  const { find, loads } = openCache()
  for (const name of [
    '',
    'a..b',
    'acme.com.',
    'acme.com:443',
    '*.acme.com',
    'café.com',
    '[::1]',
    'a'.repeat(64),
  ]) {
    assert.equal(await find(name), 'unknown', name)
  }
  assert.deepEqual(loads, [])
})

test('a replaced certificate is used from the next handshake on', async () => {
  const { find, cache, certificates } = openCache()
  const before = await find(acme)
  certificates.set(acme, other)
  cache.changed({ hostname: acme })
  const after = await find(acme)
  assert.ok(isContext(after) && after !== before)
})

test('a removed certificate is not used again, not even from memory if the domain was stopped', async () => {
  const { find, cache, certificates, world } = openCache()
  await find(acme)
  certificates.delete(acme)
  cache.changed({ hostname: acme })
  assert.equal(await find(acme), 'unknown')
  certificates.set(acme, certificate)
  cache.changed({ hostname: acme })
  await find(acme)
  world.isAway = true
  cache.changed({ hostname: acme, stopped: true })
  assert.equal(await find(acme), 'unavailable')
})

test('while the database is down known certificates are used, even after lost notices', async () => {
  const { find, cache, world, logged } = openCache()
  const before = await find(acme)
  world.isAway = true
  cache.changed({ hostname: acme })
  assert.equal(await find(acme), before)
  cache.changed({ stopped: true })
  assert.equal(await find(acme), before)
  assert.equal(await find('cold.acme.com'), 'unavailable')
  assert.ok(logged.length > 0)
})

test('an expired certificate is reloaded, but not by every handshake', async () => {
  const { find, world, loads, certificates } = openCache()
  await find(acme)
  world.now = certificate.notAfter + hour
  for (let n = 0; n < 5; n++) assert.ok(isContext(await find(acme)))
  assert.equal(loads.length, 2)
  const renewed = { ...certificate, notAfter: world.now + hour }
  certificates.set(acme, renewed)
  world.now += minute
  for (let n = 0; n < 5; n++) await find(acme)
  assert.equal(loads.length, 3)
})

test('names with the same certificate share one context', async () => {
  const { find, certificates } = openCache()
  for (const slug of ['a', 'b', 'one--b']) certificates.set(`${slug}.masthead.test`, certificate)
  const found = await Promise.all(['a', 'b', 'one--b'].map((slug) => find(`${slug}.masthead.test`)))
  assert.equal(new Set(found).size, 1)
  assert.ok(isContext(found[0]))
})

test('a new project is found immediately, and so are its previews', async () => {
  const { find, cache, certificates } = openCache()
  const names = ['new.masthead.test', 'one--new.masthead.test']
  for (const name of names) assert.equal(await find(name), 'unknown')
  for (const name of names) certificates.set(name, certificate)
  cache.changed({ slug: 'new' })
  for (const name of names) assert.ok(isContext(await find(name)))
})

const limits = { perCaller: 5, total: 50, totalForFirstMiss: 80 }

test('the cache is bounded', async () => {
  const { find, loads, certificates } = openCache({ maxContexts: 2 })
  for (const name of ['a.acme.com', 'b.acme.com', 'c.acme.com']) certificates.set(name, { ...certificate })
  for (const name of ['a.acme.com', 'b.acme.com', 'c.acme.com', 'a.acme.com']) await find(name)
  assert.equal(loads.length, 4)
})

test('an address that asks for many unknown names is refused for the rest of the second', async () => {
  const { cache, asked, world } = openCache({ unknownNames: limits })
  for (let n = 0; n < 20; n++) await cache.find(`${n}.acme.com`, from)
  assert.equal(asked().length, 5)
  assert.equal(await cache.find(acme, from), 'unavailable')
  assert.equal(await cache.findValidation(acme, from), 'unavailable')
  assert.ok(isContext(await cache.find(acme, '192.0.2.2')))
  assert.ok(isContext(cache.find(acme, from)))
  world.now += 1000
  assert.equal(await cache.find('20.acme.com', from), 'unknown')
})

test('concurrent look-ups of one unknown name count as one miss', async () => {
  const { cache } = openCache({ unknownNames: limits })
  const tabs = Array.from({ length: 20 }, () => cache.find('typo.acme.com', from))
  assert.deepEqual(new Set(await Promise.all(tabs)), new Set(['unknown']))
  assert.ok(isContext(await cache.find(acme, from)))
})

test('a flood keeps neither an honest visitor from a cold name nor a CA from its answer', async () => {
  const { cache, asked } = openCache({
    unknownNames: limits,
    validations: { [acme]: { certificatePem: certificate.chain, privateKeyPem: certificate.keyPem } },
  })
  for (let n = 0; n < 500; n++) await cache.find(`${n}.acme.com`, `198.51.100.${n % 10}`)
  assert.equal(asked().length, 50)
  assert.ok(isContext(await cache.findValidation(acme, '192.0.2.2')))
  assert.ok(isContext(await cache.find(acme, '192.0.2.3')))
})

test('a flood from everywhere costs a bounded number of queries per second', async () => {
  const { cache, asked } = openCache({ unknownNames: limits })
  for (let n = 0; n < 500; n++) await cache.find(`${n}.acme.com`, `198.51.100.${n % 250}`)
  assert.equal(asked().length, 80)
})

test('known certificates are used during a flood, even if they have to be reloaded', async () => {
  const { cache } = openCache({ unknownNames: limits })
  const before = await cache.find(acme, from)
  for (let n = 0; n < 20; n++) await cache.find(`${n}.acme.com`, from)
  cache.changed({ hostname: acme })
  assert.equal(await cache.find(acme, from), before)
})

test('the number of concurrent look-ups is bounded, and others wait', async () => {
  let atOnce = 0
  let most = 0
  const look = async () => {
    most = Math.max(most, ++atOnce)
    await setImmediate()
    atOnce--
    return certificate
  }
  const source = {
    ofDomain: look,
    ofPlatform: look,
    isPending: async () => false,
    validation: async () => null,
  }
  const { cache, find } = openCache({ maxLoading: 8, source })
  const names = Array.from({ length: 200 }, (_, n) => `${n}.acme.com`)
  const ours = names.map((name) => find(name))
  const others = [1, 2, 3].map((n) => cache.find(`other${n}.acme.com`, `192.0.2.${n}`))
  const shown = await Promise.all([...ours, ...others])
  assert.ok(
    shown.every((one) => typeof one === 'object'),
    'somebody was refused',
  )
  assert.ok(most <= 8, `${most} at once`)
})

test('waiting for many pending certificates counts as no miss', async () => {
  const { cache, find, certificates, world } = openCache()
  const names = Array.from({ length: 200 }, (_, n) => `${n}.acme.com`)
  for (const name of names) world.onTheirWay.add(name)
  const asked = names.map((name) => find(name))
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  for (const name of names) certificates.set(name, certificate)
  world.onTheirWay.clear()
  for (const name of names) cache.changed({ hostname: name })
  const shown = await Promise.all(asked)
  assert.ok(
    shown.every((one) => typeof one === 'object'),
    'somebody was refused',
  )
})

test('an unusable certificate is logged and refused', async () => {
  const { find, certificates, logged } = openCache()
  certificates.set('bad.acme.com', { ...certificate, keyPem: 'no key' })
  assert.equal(await find('bad.acme.com'), 'unavailable')
  assert.equal(logged.length, 1)
})

test('with an expired certificate and a failing database a hundred handshakes make one load, and are served', async () => {
  const { find, world, loads } = openCache()
  await find(acme)
  world.now = certificate.notAfter + hour
  world.isAway = true
  const before = loads.length
  const found = await Promise.all(Array.from({ length: 100 }, () => find(acme)))
  assert.ok(found.every(isContext))
  for (let n = 0; n < 100; n++) assert.ok(isContext(await find(acme)))
  assert.equal(loads.length, before + 1)
  world.now += minute
  for (let n = 0; n < 100; n++) assert.ok(isContext(await find(acme)))
  assert.equal(loads.length, before + 2)
})

test('many expired certificates are each reloaded once, in whatever order', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `n${index}.acme.com`)
  const { find, world, loads, certificates } = openCache()
  for (const name of names) certificates.set(name, certificate)
  for (const name of names) await find(name)
  world.now = certificate.notAfter + hour
  const before = loads.length
  const handshakes = Array.from({ length: 100 }, (_, index) => find(names[index % names.length] ?? ''))
  assert.ok((await Promise.all(handshakes)).every(isContext))
  assert.equal(loads.length, before + names.length)
})

test('a name whose look-up fails is not looked up for every handshake', async () => {
  const { find, world, loads } = openCache()
  world.isAway = true
  for (let n = 0; n < 100; n++) assert.equal(await find(acme), 'unavailable')
  assert.equal(loads.length, 1)
})

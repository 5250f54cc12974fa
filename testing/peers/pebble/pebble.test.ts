import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { freePort } from '../../free-port.ts'
import { skipWithout } from '../peers.ts'
import { startChallengeDns } from './challenge-dns.ts'
import { startPebble } from './pebble.ts'

const skip = skipWithout('pebble')

test('Pebble comes back on the same port with another root, and leaves nothing behind', {
  skip,
}, async () => {
  await using dns = await startChallengeDns()
  const options = { httpPort: await freePort(), tlsPort: await freePort(), dnsServer: dns.server }
  await using pebble = await startPebble(options)
  const before = await pebble.issuerRootPem()
  assert.match(before, /^-----BEGIN CERTIFICATE-----/)
  await pebble.stop()
  await assert.rejects(pebble.issuerRootPem())
  assert.equal(existsSync(pebble.rootsFile), false)
  await pebble.start()
  assert.notEqual(await pebble.issuerRootPem(), before)
})

test('the challenge nameserver answers for every name, as told', { skip }, async () => {
  await using dns = await startChallengeDns()
  const resolver = new Resolver({ timeout: 10_000, tries: 2 })
  resolver.setServers([dns.server])
  assert.deepEqual(await resolver.resolve4('some.example'), ['127.0.0.1'])
  await dns.setDefaultAddress('127.0.0.2')
  assert.deepEqual(await resolver.resolve4('some.example'), ['127.0.0.2'])
  await dns.setAddresses('some.example', ['127.0.0.3'])
  assert.deepEqual(await resolver.resolve4('some.example'), ['127.0.0.3'])
  await dns.clear('some.example')
  await dns.setCname('some.example', 'other.example')
  assert.deepEqual(await resolver.resolveCname('some.example'), ['other.example'])
  await dns.setCaa('caa.example', [{ tag: 'issue', value: 'ca.example' }])
  assert.equal((await resolver.resolveCaa('caa.example'))[0]?.issue, 'ca.example')
  await dns.setServfail('broken.example')
  await assert.rejects(resolver.resolve4('broken.example'), { code: 'ESERVFAIL' })
})

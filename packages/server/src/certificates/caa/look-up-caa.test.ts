import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { startChallengeDns } from '@masthead/testing/peers/pebble/challenge-dns.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { createDns } from '../../dns/dns.ts'
import { checkCaa } from './caa.ts'
import { createCaaLookUp } from './look-up-caa.ts'

const skip = skipWithout('pebble')

test('CAA records are found in DNS, and a failing nameserver does not count as permission', {
  skip,
}, async () => {
  await using server = await startChallengeDns()
  const [address = '', port] = server.server.split(':')
  const dns = createDns({
    servers: [{ address, port: Number(port) }],
    authoritativePort: 1,
    allowPrivate: true,
  })
  const verdict = (name: string) => checkCaa(name, ['ca.example'], createCaaLookUp(dns))
  assert.deepEqual(await verdict('www.acme.test'), { kind: 'allowed', methods: null })
  await server.setCaa('acme.test', [{ tag: 'issue', value: 'other.example' }])
  assert.equal((await verdict('www.acme.test')).kind, 'forbidden')
  await server.setCaa('www.acme.test', [{ tag: 'issue', value: 'ca.example' }])
  assert.equal((await verdict('www.acme.test')).kind, 'allowed')
  await server.setServfail('broken.test')
  assert.equal((await verdict('www.broken.test')).kind, 'unclear')
})

test('a record that allows us counts among hundreds of others, with tabs, and next to a critical issuevmc', {
  skip: skipWithout('knot'),
}, async () => {
  const others = Array.from({ length: 400 }, (_, n) => `@ CAA 0 issue "a${n}.example"`)
  const zones = {
    'many.test': [...others, '@ CAA 0 issue "ca.example"'].join('\n'),
    'tab.test': '@ CAA 0 issue "\\009ca.example\\009;\\009policy\\009=\\009ev"',
    'logo.test': '@ CAA 128 issuevmc "vmc.example"\n@ CAA 0 issue "ca.example"',
    'none.test': others.join('\n'),
  }
  await using server = await startKnot({ zones })
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  const verdict = async (name: string) => (await checkCaa(name, ['ca.example'], createCaaLookUp(dns))).kind
  for (const name of ['many.test', 'tab.test', 'logo.test'])
    assert.equal(await verdict(name), 'allowed', name)
  assert.equal(await verdict('none.test'), 'forbidden')
})

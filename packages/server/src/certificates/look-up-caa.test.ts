import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChallengeDns } from '@masthead/testing/challenge-dns.ts'
import { skipWithout } from '@masthead/testing/peers.ts'
import { createDns } from '../dns/dns.ts'
import { checkCaa } from './caa.ts'
import { caaLookUpIn } from './look-up-caa.ts'

const skip = skipWithout('pebble')

test('CAA records are found in DNS, and a nameserver that fails is no permission', { skip }, async () => {
  await using server = await startChallengeDns()
  const [address = '', port] = server.server.split(':')
  const dns = createDns({
    servers: [{ address, port: Number(port) }],
    authoritativePort: 1,
    allowPrivate: true,
  })
  const verdict = (name: string) => checkCaa(name, ['ca.example'], caaLookUpIn(dns))
  assert.deepEqual(await verdict('www.acme.test'), { kind: 'allowed', methods: null })
  await server.setCaa('acme.test', [{ tag: 'issue', value: 'other.example' }])
  assert.equal((await verdict('www.acme.test')).kind, 'forbidden')
  await server.setCaa('www.acme.test', [{ tag: 'issue', value: 'ca.example' }])
  assert.equal((await verdict('www.acme.test')).kind, 'allowed')
  await server.setServfail('broken.test')
  assert.equal((await verdict('www.broken.test')).kind, 'unclear')
})

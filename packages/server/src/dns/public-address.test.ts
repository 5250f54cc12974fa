import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

for (const address of ['1.1.1.1', '193.0.14.129', '2606:4700::1111', '2a00:1450:4001::1']) {
  test(`${address} is public`, () => assert.ok(isPublicAddress(address)))
}

const notPublic = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.53', '169.254.169.254', '172.31.0.1', '192.168.0.1'],
  ...[
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '203.0.113.1',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
  ],
  ...['fe80::1', 'fd00::1', 'ff02::1', '2002:a00:1::', '2001:db8::1', '2001::1', 'localhost', ''],
]
for (const address of notPublic) {
  test(`${JSON.stringify(address)} is not public`, () => assert.equal(isPublicAddress(address), false))
}

test('our own addresses are not public to us', () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
  assert.deepEqual(own.filter(isPublicAddress), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { networkOf } from './network.ts'

test('an IPv4 address stands for itself, also when it is written as IPv6', () => {
  assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
  assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7')
})

test('an IPv6 address stands for its /64, however it is written', () => {
  for (const address of ['2001:db8::1', '2001:DB8:0:0::', '2001:0db8:0000:0000:ffff:ffff:ffff:ffff']) {
    assert.equal(networkOf(address), '2001:db8:0:0::/64')
  }
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
  assert.equal(networkOf('64:ff9b::192.0.2.1'), '64:ff9b:0:0::/64')
})

test('the last 64 bits never matter, and the first always do', () => {
  const group = fc.nat({ max: 0xffff }).map((number) => number.toString(16))
  const half = fc.tuple(group, group, group, group).map((groups) => groups.join(':'))
  fc.assert(
    fc.property(half, half, half, half, (first, second, here, there) => {
      assert.equal(networkOf(`${first}:${here}`), networkOf(`${first}:${there}`))
      assert.equal(networkOf(`${first}:${here}`) === networkOf(`${second}:${here}`), first === second)
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { callerOf } from './caller-address.ts'

test('every IPv4 address is its own caller, however it is spelled', () => {
  assert.equal(callerOf('192.0.2.7'), '192.0.2.7')
  for (const mapped of ['::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7']) {
    assert.equal(callerOf(mapped), '192.0.2.7')
  }
})

test('all addresses of an IPv6 /64 are one caller, however they are spelled', () => {
  const spellings = ['2001:db8:0:1::1', '2001:0DB8::1:ffff:ffff:ffff:ffff', '2001:db8:0:1:2:3:192.0.2.7']
  for (const address of spellings) assert.equal(callerOf(address), '2001:db8:0:1::/64')
  assert.equal(callerOf('2001:db8:0:2::1'), '2001:db8:0:2::/64')
  assert.equal(callerOf('::1'), '0:0:0:0::/64')
  assert.equal(callerOf('fe80::1%eth0'), callerOf('fe80::2'))
})

test('text that is not an address is its own caller', () => {
  assert.equal(callerOf('unknown'), 'unknown')
})

test('an IPv4-mapped IPv6 address is the same caller as its IPv4 address', () => {
  assert.equal(callerOf('203.0.113.7'), '203.0.113.7')
  assert.equal(callerOf('::ffff:203.0.113.7'), '203.0.113.7')
})

test('the caller of an IPv6 address is its /64, however it is spelled', () => {
  for (const address of ['2001:db8::1', '2001:DB8:0:0::', '2001:0db8:0000:0000:ffff:ffff:ffff:ffff']) {
    assert.equal(callerOf(address), '2001:db8:0:0::/64')
  }
  assert.equal(callerOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(callerOf('::1'), '0:0:0:0::/64')
  assert.equal(callerOf('64:ff9b::192.0.2.1'), '64:ff9b:0:0::/64')
})

test('the last 64 bits never matter, and the first always do', () => {
  const group = fc.nat({ max: 0xffff }).map((number) => number.toString(16))
  const half = fc.tuple(group, group, group, group).map((groups) => groups.join(':'))
  fc.assert(
    fc.property(half, half, half, half, (first, second, here, there) => {
      assert.equal(callerOf(`${first}:${here}`), callerOf(`${first}:${there}`))
      assert.equal(callerOf(`${first}:${here}`) === callerOf(`${second}:${here}`), first === second)
    }),
  )
})

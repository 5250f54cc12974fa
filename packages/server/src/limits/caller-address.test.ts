import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf } from './caller-address.ts'

test('every IPv4 address is a caller of its own, however it is written', () => {
  assert.equal(callerOf('192.0.2.7'), '192.0.2.7')
  for (const mapped of ['::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7']) {
    assert.equal(callerOf(mapped), '192.0.2.7')
  }
})

test('all addresses of an IPv6 /64 are one caller, however they are written', () => {
  const spellings = ['2001:db8:0:1::1', '2001:0DB8::1:ffff:ffff:ffff:ffff', '2001:db8:0:1:2:3:192.0.2.7']
  for (const address of spellings) assert.equal(callerOf(address), '2001:db8:0:1::/64')
  assert.equal(callerOf('2001:db8:0:2::1'), '2001:db8:0:2::/64')
  assert.equal(callerOf('::1'), '0:0:0:0::/64')
  assert.equal(callerOf('fe80::1%eth0'), callerOf('fe80::2'))
})

test('what is no address stands for itself', () => {
  assert.equal(callerOf('unknown'), 'unknown')
})

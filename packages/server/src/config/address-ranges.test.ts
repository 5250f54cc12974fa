import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeMatcher } from './address-ranges.ts'

test('a proxy is recognized by address or range, in any notation', () => {
  const isProxy = rangeMatcher(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1'])
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8:1::1', '::1']) {
    assert.equal(isProxy(address), true, address)
  }
  for (const address of ['11.1.2.3', '::ffff:11.1.2.3', '192.0.2.8', '2001:db9::1', '', 'fe80::1%eth0']) {
    assert.equal(isProxy(address), false, address)
  }
})

test('without settings nobody is a proxy', () => {
  assert.equal(rangeMatcher([])('127.0.0.1'), false)
})

import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { isIP, isIPv6 } from './ip-address.ts'

const addresses = ['127.0.0.1', '::', '::1', '2001:db8::1', '::ffff:192.0.2.1', 'fe80::1%lo']
const others = [
  '',
  ':',
  '1',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  'localhost',
  'acme.com:80',
  '[::1]',
  '1::2::3',
]

test('addresses are recognized as node:net does', () => {
  for (const text of [...addresses, ...others]) {
    assert.equal(isIP(text), net.isIP(text), text)
    assert.equal(isIPv6(text), net.isIPv6(text), text)
  }
})

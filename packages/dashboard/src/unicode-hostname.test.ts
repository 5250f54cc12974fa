import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import { unicodeHostname, withoutScheme } from './unicode-hostname.ts'

const names = [
  'www.acme.com',
  'bücher.example',
  'straßenbäcker-österreich.example',
  'παράδειγμα.δοκιμή',
  'اختبار.example',
  '例え.テスト',
  '他们为什么不说中文.example',
  'почемужеонинеговорятпорусски.рф',
  '💌.example',
]

for (const name of names) {
  test(`${name} survives a round trip through ASCII`, () => {
    const ascii = domainToASCII(name)
    assert.notEqual(ascii, '')
    assert.equal(unicodeHostname(ascii), name)
  })
}

test('a malformed label stays as it is', () => {
  for (const name of ['xn--.example', 'xn--99999999.example', 'xn--a_b.example', 'xn--ü.example']) {
    assert.equal(unicodeHostname(name), name)
  }
})

test('an address is shown without scheme and trailing slash, but with its port', () => {
  assert.equal(withoutScheme('https://docs.acme.dev/'), 'docs.acme.dev')
  assert.equal(withoutScheme('http://xn--bcher-kva.xn--p1ai:8080'), 'bücher.рф:8080')
  assert.equal(withoutScheme('http://docs.masthead.localhost:8080'), 'docs.masthead.localhost:8080')
})

import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { parseProxyRanges, publishedRanges } from './proxy-ranges.ts'

test('a file replaces the ranges of the providers it names, and no others', () => {
  const read = parseProxyRanges(
    '{"fastly": {"ranges": ["192.0.2.7", "2001:db8::/32"], "header": "Fastly-Client-IP"}}',
  )
  assert.ok(!('fault' in read))
  assert.deepEqual(read.fastly, {
    ranges: ['192.0.2.7', '2001:db8::/32'],
    header: 'fastly-client-ip',
    isOwn: true,
  })
  assert.equal(read.cloudflare, publishedRanges.cloudflare)
})

for (const [what, text, says] of [
  ['no JSON', '{', /JSON/],
  ['a list', '[]', /object/],
  ['an unknown provider', '{"akamai": {"ranges": []}}', /no provider akamai: use cloudflare, fastly, other/],
  ['no ranges', '{"other": {}}', /ranges/],
  ['a range that is none', '{"other": {"ranges": ["192.0.2.0/33"]}}', /ranges/],
  ['a number', '{"other": {"ranges": [1]}}', /ranges/],
  ['a header that is none', '{"other": {"ranges": [], "header": "a b"}}', /header/],
  ['another field', '{"other": {"ranges": [], "heder": "x-a"}}', /header/],
] as const) {
  test(`a file with ${what} is refused`, () => {
    const read = parseProxyRanges(text)
    assert.match('fault' in read ? String(read.fault) : '', says)
  })
}

test('every published range is one', () => {
  for (const { ranges } of Object.values(publishedRanges)) {
    for (const range of ranges) {
      const [address = '', bits] = range.split('/')
      assert.ok(isIP(address) !== 0 && Number(bits) >= 12, range)
    }
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeMatcher } from '../../config/address-ranges.ts'
import { createCdns } from '../../config/cdns.ts'
import { publishedRanges } from '../../config/proxy-ranges.ts'
import { ForwardedFields, fieldsFor, type ProxyFields } from './forwarded.ts'

const other = { ranges: ['192.0.2.0/24', '2001:db8::/32'], header: 'x-forwarded-for', isOwn: true }
const cdns = createCdns({ ...publishedRanges, other })
const proxies: ProxyFields = { isProxy: rangeMatcher(['10.0.0.0/8']), country: 'cf-ipcountry', cdns }

const cloudflare = '172.68.1.1'
const fastly = '151.101.1.1'
const visitor = '203.0.113.9'

function told(peer: string, headers: [string, string][]): ForwardedFields {
  const fields = new ForwardedFields(fieldsFor(proxies, peer) ?? assert.fail(`nothing is read from ${peer}`))
  for (const [name, value] of headers) if (fields.mayHave(name.length)) fields.add(name, value)
  return fields
}

test('a CDN is recognized by its published ranges, in any notation of its address', () => {
  for (const address of [
    '172.68.1.1',
    '::ffff:172.68.1.1',
    '104.27.255.255',
    '2606:4700::1',
    '2606:4700:0::1',
  ])
    assert.equal(cdns.of(address), 'cloudflare', address)
  for (const address of ['151.101.1.1', '::ffff:199.232.0.1', '2a04:4e42::1'])
    assert.equal(cdns.of(address), 'fastly', address)
  for (const address of ['192.0.2.200', '2001:db8::5']) assert.equal(cdns.of(address), 'other', address)
  for (const address of [
    '203.0.113.9',
    '172.80.0.1',
    '::1',
    'fe80::1%eth0',
    '',
    '::ffff:8.8.8.8',
    '2606:4701::1',
  ])
    assert.equal(cdns.of(address), null, address)
})

test('ranges wider than an octet are found too', () => {
  const wide = createCdns({ ...publishedRanges, other: { ...other, ranges: ['64.0.0.0/6'] } })
  for (const address of ['64.0.0.1', '67.255.0.1']) assert.equal(wide.of(address), 'other', address)
  for (const address of ['63.255.0.1', '68.0.0.1']) assert.equal(wide.of(address), null, address)
})

test('nothing is read from anybody else', () => {
  for (const address of [visitor, '127.0.0.1', '']) assert.equal(fieldsFor(proxies, address), null, address)
})

test('the word of a CDN counts only for domains that are marked as being behind it', () => {
  const fields = told(cloudflare, [
    ['cf-connecting-ip', visitor],
    ['x-forwarded-for', '198.51.100.1'],
    ['cf-ipcountry', 'DE'],
  ])
  assert.equal(fields.address(cloudflare, 'cloudflare'), visitor)
  for (const marked of [null, 'fastly', 'other'] as const)
    assert.equal(fields.address(cloudflare, marked), cloudflare, String(marked))
  assert.equal(fields.country, undefined)
})

test('what is not one address leaves that of the CDN', () => {
  const invalid = [[], ['nonsense'], [visitor, '198.51.100.1'], [`${visitor}, 198.51.100.1`], ['']]
  for (const values of invalid) {
    const fields = told(
      cloudflare,
      values.map((value) => ['cf-connecting-ip', value]),
    )
    assert.equal(fields.address(cloudflare, 'cloudflare'), cloudflare, values.join(' and '))
  }
  assert.equal(told(fastly, [['x-forwarded-for', 'x']]).address(fastly, 'fastly'), fastly)
})

test('of a list, the last address before the CDN counts: visitors write what comes first', () => {
  const list = `198.51.100.1, ${visitor}, ${fastly}`
  const fields = told(fastly, [
    ['x-forwarded-for', list],
    ['fastly-client-ip', '198.51.100.7'],
  ])
  assert.equal(fields.address(fastly, 'fastly'), visitor)
  assert.equal(fields.address(fastly, null), fastly)
})

test("behind the operator's own proxy, a CDN counts in the same way", () => {
  const fields = told('10.0.0.1', [
    ['x-forwarded-for', `198.51.100.1, ${cloudflare}`],
    ['cf-connecting-ip', visitor],
    ['cf-ipcountry', 'DE'],
  ])
  assert.equal(fields.address('10.0.0.1', 'cloudflare'), visitor)
  assert.equal(fields.address('10.0.0.1', null), cloudflare)
  assert.equal(fields.country, 'DE')
  // A visitor who came to the operator's proxy directly can send any header.
  const direct = told('10.0.0.1', [
    ['x-forwarded-for', visitor],
    ['cf-connecting-ip', '198.51.100.1'],
  ])
  assert.equal(direct.address('10.0.0.1', 'cloudflare'), visitor)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, second } from '../../kernel/clock.ts'
import { isAcmeUrl, linkTargets, retryAfter } from './response-fields.ts'

test('HTTPS is allowed anywhere, plain HTTP only on this machine', () => {
  for (const url of [
    'https://ca.example/dir',
    'http://127.0.0.1:14000/dir',
    'http://[::1]/',
    'http://localhost/',
  ]) {
    assert.equal(isAcmeUrl(url), true, url)
  }
  const others = [
    'http://ca.example/',
    'http://127.0.0.1.example/',
    'ftp://ca.example/',
    'file:///etc',
    '/dir',
    '',
  ]
  for (const url of [
    ...others,
    'https://user:secret@ca.example/',
    `https://ca.example/${'x'.repeat(2000)}`,
  ]) {
    assert.equal(isAcmeUrl(url), false, url)
  }
})

const base = 'https://ca.example/certificate/1'
const alternates = (header: string | null) => linkTargets(header, 'alternate', base)

test('the targets of one relation are found among others, in any notation', () => {
  const header =
    '<https://ca.example/dir>;rel="index", </certificate/1/1>; title="a, b"; rel=alternate, <2>;rel="up alternate"'
  assert.deepEqual(alternates(header), [
    'https://ca.example/certificate/1/1',
    'https://ca.example/certificate/2',
  ])
})

test('a missing or malformed link gives no target', () => {
  for (const header of [null, '', 'alternate', '<https://[>;rel="alternate"', '<a>;rel="index"']) {
    assert.deepEqual(alternates(header), [])
  }
})

test('a long header that almost matches is rejected quickly', () => {
  assert.deepEqual(alternates(`<a>${';x="y" '.repeat(5000)}`), [])
})

const now = Date.parse('2026-08-01T12:00:00Z')

test('Retry-After can be seconds or a date', () => {
  assert.equal(retryAfter('30', now), now + 30 * second)
  assert.equal(retryAfter('Sat, 01 Aug 2026 12:00:05 GMT', now), now + 5 * second)
})

test('a date in the past means now, and the limit is a day', () => {
  assert.equal(retryAfter('Fri, 31 Jul 2026 12:00:00 GMT', now), now)
  assert.equal(retryAfter('999999999999', now), now + day)
})

test('a malformed Retry-After is ignored', () => {
  for (const nothing of [null, '', 'soon', '-']) assert.equal(retryAfter(nothing, now), null)
})

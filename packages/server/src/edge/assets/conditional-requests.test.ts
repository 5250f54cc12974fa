import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  decideRange,
  hasChangedSince,
  matchesIfMatch,
  matchesIfNoneMatch,
  matchesIfRange,
} from './conditional-requests.ts'

const naming = ['"abc"', 'W/"abc"', '*', ' * ', '"x", "abc"', 'W/"x",W/"abc"', '"a,b", "abc"', '"abc",']
const notNaming = ['', '"x"', 'abc', '"abc', '"ABC"', '"x,"abc', '"abc-br"', '"x", "y"', '**']

for (const header of naming) {
  test(`If-None-Match: ${header} names "abc"`, () => assert.ok(matchesIfNoneMatch(header, '"abc"')))
}

for (const header of notNaming) {
  test(`If-None-Match: ${header} does not name "abc"`, () => assert.ok(!matchesIfNoneMatch(header, '"abc"')))
}

test('If-Match compares strongly', () => {
  for (const header of ['"abc"', '*', ' * ', '"x", "abc"', '"a,b","abc"']) {
    assert.ok(matchesIfMatch(header, '"abc"'), header)
  }
  for (const header of ['', '"x"', 'W/"abc"', 'abc', '"abc-br"', '"x", W/"abc"']) {
    assert.ok(!matchesIfMatch(header, '"abc"'), header)
  }
})

test('If-Unmodified-Since accepts three date formats and ignores everything else', () => {
  const modified = 'Sun, 06 Nov 1994 08:49:37 GMT'
  for (const earlier of [
    'Sun, 06 Nov 1994 08:49:36 GMT',
    'Sunday, 06-Nov-94 08:49:36 GMT',
    'Sun Nov  6 08:49:36 1994',
    'Mon, 01 Jan 1990 00:00:00 GMT',
  ]) {
    assert.ok(hasChangedSince(earlier, modified), earlier)
  }
  for (const other of [
    modified,
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'Tue, 15 Nov 1994 12:45:26 GMT',
    '',
    '0',
    '1990-01-01',
    'yesterday',
    `Mon, 01 Jan 1990 00:00:00 GMT${' '.repeat(9000)}x`,
  ]) {
    assert.ok(!hasChangedSince(other, modified), other)
  }
})

test('a range is valid without If-Range or with the exact tag', () => {
  assert.ok(matchesIfRange(undefined, '"abc"'))
  assert.ok(matchesIfRange('"abc"', '"abc"'))
})

test('a range is not valid with another tag, a weak one, a date or several', () => {
  for (const header of ['"x"', 'W/"abc"', 'Sun, 06 Nov 1994 08:49:37 GMT', '"abc", "abc"', '']) {
    assert.ok(!matchesIfRange(header, '"abc"'), header)
  }
})

const parts: [header: string, start: number, end: number][] = [
  ['bytes=0-0', 0, 0],
  ['bytes=0-99', 0, 99],
  ['bytes=10-19', 10, 19],
  ['bytes=90-', 90, 99],
  ['bytes=0-', 0, 99],
  ['bytes=90-1000', 90, 99],
  ['bytes=-1', 99, 99],
  ['bytes=-100', 0, 99],
  ['bytes=-1000', 0, 99],
  ['Bytes=1-2', 1, 2],
  [`bytes=5-${'9'.repeat(400)}`, 5, 99],
]

for (const [header, start, end] of parts) {
  test(`${header.slice(0, 30)} of 100 bytes is ${start} to ${end}`, () => {
    assert.deepEqual(decideRange(header, 100), { kind: 'part', range: { start, end } })
  })
}

for (const header of ['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
  test(`${header.slice(0, 30)} of 100 bytes cannot be satisfied`, () => {
    assert.deepEqual(decideRange(header, 100), { kind: 'unsatisfiable' })
  })
}

const ignored = [
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=a-b',
  'bytes=5-4',
  'bytes=0-1,3-4',
  'items=0-1',
  'bytes=0x0-1',
  'bytes= 0-1',
  'bytes=--1',
  'bytes=1',
]

for (const header of ignored) {
  test(`${JSON.stringify(header)} is ignored`, () =>
    assert.deepEqual(decideRange(header, 100), { kind: 'whole' }))
}

test('an empty file has no ranges', () => {
  assert.deepEqual(decideRange('bytes=0-', 0), { kind: 'whole' })
  assert.deepEqual(decideRange('bytes=-5', 0), { kind: 'whole' })
})

test('a range is always within the file', () => {
  const number = fc.oneof(fc.constant(''), fc.nat(50), fc.bigInt({ min: 0n, max: 10n ** 30n }))
  fc.assert(
    fc.property(number, number, fc.nat(60), (first, last, size) => {
      const decision = decideRange(`bytes=${first}-${last}`, size)
      if (decision.kind !== 'part') return
      const { start, end } = decision.range
      assert.ok(0 <= start && start <= end && end < size)
    }),
  )
})

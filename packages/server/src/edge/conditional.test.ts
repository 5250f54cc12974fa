import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedSince, ifRangeHolds, matchNames, noneMatchNames } from './conditional.ts'

const naming = ['"abc"', 'W/"abc"', '*', ' * ', '"x", "abc"', 'W/"x",W/"abc"', '"a,b", "abc"', '"abc",']
const notNaming = ['', '"x"', 'abc', '"abc', '"ABC"', '"x,"abc', '"abc-br"', '"x", "y"', '**']

for (const header of naming) {
  test(`If-None-Match: ${header} names "abc"`, () => assert.ok(noneMatchNames(header, '"abc"')))
}

for (const header of notNaming) {
  test(`If-None-Match: ${header} does not name "abc"`, () => assert.ok(!noneMatchNames(header, '"abc"')))
}

test('If-Match compares strongly', () => {
  for (const header of ['"abc"', '*', ' * ', '"x", "abc"', '"a,b","abc"']) {
    assert.ok(matchNames(header, '"abc"'), header)
  }
  for (const header of ['', '"x"', 'W/"abc"', 'abc', '"abc-br"', '"x", W/"abc"']) {
    assert.ok(!matchNames(header, '"abc"'), header)
  }
})

test('If-Unmodified-Since takes the three forms of a date and ignores everything else', () => {
  const modified = 'Sun, 06 Nov 1994 08:49:37 GMT'
  for (const earlier of [
    'Sun, 06 Nov 1994 08:49:36 GMT',
    'Sunday, 06-Nov-94 08:49:36 GMT',
    'Sun Nov  6 08:49:36 1994',
    'Mon, 01 Jan 1990 00:00:00 GMT',
  ]) {
    assert.ok(changedSince(earlier, modified), earlier)
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
    assert.ok(!changedSince(other, modified), other)
  }
})

test('a range is good without If-Range or with the very tag', () => {
  assert.ok(ifRangeHolds(undefined, '"abc"'))
  assert.ok(ifRangeHolds('"abc"', '"abc"'))
})

test('a range is not good with another tag, a weak one, a date or several', () => {
  for (const header of ['"x"', 'W/"abc"', 'Sun, 06 Nov 1994 08:49:37 GMT', '"abc", "abc"', '']) {
    assert.ok(!ifRangeHolds(header, '"abc"'), header)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ifRangeHolds, noneMatchNames } from './conditional.ts'

const naming = ['"abc"', 'W/"abc"', '*', ' * ', '"x", "abc"', 'W/"x",W/"abc"', '"a,b", "abc"', '"abc",']
const notNaming = ['', '"x"', 'abc', '"abc', '"ABC"', '"x,"abc', '"abc-br"', '"x", "y"', '**']

for (const header of naming) {
  test(`If-None-Match: ${header} names "abc"`, () => assert.ok(noneMatchNames(header, '"abc"')))
}

for (const header of notNaming) {
  test(`If-None-Match: ${header} does not name "abc"`, () => assert.ok(!noneMatchNames(header, '"abc"')))
}

test('a range is good without If-Range or with the very tag', () => {
  assert.ok(ifRangeHolds(undefined, '"abc"'))
  assert.ok(ifRangeHolds('"abc"', '"abc"'))
})

test('a range is not good with another tag, a weak one, a date or several', () => {
  for (const header of ['"x"', 'W/"abc"', 'Sun, 06 Nov 1994 08:49:37 GMT', '"abc", "abc"', '']) {
    assert.ok(!ifRangeHolds(header, '"abc"'), header)
  }
})

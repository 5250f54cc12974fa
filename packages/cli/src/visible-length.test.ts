import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsTaken, visibleLength } from './visible-length.ts'

test('colours and combining marks take no columns, wide characters two', () => {
  assert.equal(visibleLength('\x1b[31mred\x1b[39m'), 3)
  assert.equal(visibleLength('u\u0308'), 1)
  assert.equal(visibleLength('例え.jp'), 7)
  assert.equal(visibleLength('💩.la'), 5)
  assert.equal(visibleLength('☃.net ✓ ✔'), 9)
})

test('a line takes the rows that a terminal breaks it into', () => {
  assert.equal(rowsTaken('', 5), 1)
  assert.equal(rowsTaken('\x1b[31mabcde\x1b[39m', 5), 1)
  assert.equal(rowsTaken('abcdef', 5), 2)
  assert.equal(rowsTaken('例例例', 5), 2)
  assert.equal(rowsTaken('u\u0308'.repeat(5), 5), 1)
})

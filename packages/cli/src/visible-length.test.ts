import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutToWidth, visibleLength } from './visible-length.ts'

test('colours and combining marks take no columns, wide characters two', () => {
  assert.equal(visibleLength('\x1b[31mred\x1b[39m'), 3)
  assert.equal(visibleLength('u\u0308'), 1)
  assert.equal(visibleLength('例え.jp'), 7)
})

test('a line is cut to what the terminal has, and left alone where it fits', () => {
  const red = '\x1b[31mabcdef\x1b[39m'
  assert.equal(cutToWidth(red, 6), red)
  assert.equal(cutToWidth(red, 5), 'abcd…')
  assert.equal(cutToWidth('例例例', 5), '例例…')
  assert.equal(cutToWidth('例例例', 4), '例…')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printable } from './printable.ts'

test('plain text of any script is left alone, what drives a terminal is not', () => {
  assert.equal(printable('bücher.例え → 1'), 'bücher.例え → 1')
  assert.equal(printable('a\x1b[2J\r\n\u202eb'), 'a\ufffd[2J\ufffd\ufffd\ufffdb')
})

test('long text is cut', () => {
  assert.equal(printable('abcdef', 4), 'abc…')
})

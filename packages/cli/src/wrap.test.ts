import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrap } from './wrap.ts'

test('lines end before the width and start with the indent; long words stay whole', () => {
  assert.deepEqual(wrap('one two three', 9, '  '), ['  one two', '  three'])
  assert.deepEqual(wrap('a verylongword b', 6), ['a', 'verylongword', 'b'])
  assert.deepEqual(wrap(' \n ', 10), [])
})

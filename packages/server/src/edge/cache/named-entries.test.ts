import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameIndex } from './named-entries.ts'

test('keys are found by their names and by themselves', () => {
  const index = new NameIndex()
  index.add('one--hello', ['hello', 'dpl_one'])
  index.add('two--hello', ['hello', 'dpl_two'])
  assert.deepEqual(index.keysOf('hello'), ['hello', 'one--hello', 'two--hello'])
  assert.deepEqual(index.keysOf('dpl_two'), ['dpl_two', 'two--hello'])
  assert.deepEqual(index.keysOf('other'), ['other'])
})

test('a name without keys is not kept', () => {
  const index = new NameIndex()
  index.add('a', ['x', 'y'])
  index.add('b', ['y'])
  index.remove('a', ['x', 'y'])
  index.remove('a', ['x', 'y'])
  assert.deepEqual(index.keysOf('y'), ['y', 'b'])
  index.remove('b', ['y'])
  assert.equal(index.size, 0)
})

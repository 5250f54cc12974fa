import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoize } from './memoize.ts'

test('a key is computed once while there is room, and a long one is never kept', () => {
  const computed: string[] = []
  const length = memoize(2, (key) => {
    computed.push(key)
    return key.length
  })
  assert.deepEqual(['a', 'a', 'bb', 'a'].map(length), [1, 1, 2, 1])
  assert.deepEqual(computed, ['a', 'bb'])

  const long = 'x'.repeat(5000)
  assert.deepEqual([long, long].map(length), [5000, 5000])
  assert.deepEqual(computed.slice(2), [long, long])

  length('ccc')
  length('a')
  assert.deepEqual(computed.slice(4), ['ccc', 'a'])
})

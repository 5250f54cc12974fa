import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepNewest } from './keep-newest.ts'

test('the oldest entry goes when there are too many, and one that is kept again is the newest', () => {
  const map = new Map<string, number>()
  for (const [index, key] of ['a', 'b', 'a', 'c'].entries()) keepNewest(map, key, index, 2)
  assert.deepEqual(
    [...map],
    [
      ['a', 2],
      ['c', 3],
    ],
  )
})

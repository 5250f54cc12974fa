import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lengthWords } from './length-words.ts'

test('a length is told in the largest unit that it is a whole number of', () => {
  const told = [300, 900, 3_600, 21_600, 86_400, 90, 5_400].map(lengthWords)
  assert.deepEqual(told, [
    '5 minutes',
    '15 minutes',
    '1 hour',
    '6 hours',
    '1 day',
    '90 seconds',
    '90 minutes',
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsTaken } from '../visible-length.ts'
import { fitting } from './watch-domain.ts'

const long = 'x'.repeat(150)

test('what has rows enough is shown as it is', () => {
  assert.deepEqual(fitting(['a', long, 'z'], 80, 4), ['a', long, 'z'])
})

test('of what has not, the beginning and the last line are shown, and no line is cut', () => {
  assert.deepEqual(fitting(['a', long, 'b', 'z'], 80, 4), ['a', '…', 'z'])
  assert.deepEqual(fitting(['a', 'b', 'c', 'd', long], 80, 4), ['a', '…', long])
  const shown = fitting(Array(100).fill(long), 80, 23)
  assert.ok(shown.reduce((sum, line) => sum + rowsTaken(line, 80), 0) <= 23)
})

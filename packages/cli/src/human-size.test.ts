import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, humanSize } from './human-size.ts'

test('sizes have one decimal and the unit that keeps them short', () => {
  const sizes = [0, 999, 1000, 45_200, 999_949, 999_950, 1_000_000, 1_073_741_824]
  assert.deepEqual(sizes.map(humanSize), [
    '0 B',
    '999 B',
    '1.0 kB',
    '45.2 kB',
    '999.9 kB',
    '1.0 MB',
    '1.0 MB',
    '1.1 GB',
  ])
})

test('one thing is not many', () => {
  assert.deepEqual(
    [0, 1, 20_000].map((n) => count(n, 'file')),
    ['0 files', '1 file', '20,000 files'],
  )
})

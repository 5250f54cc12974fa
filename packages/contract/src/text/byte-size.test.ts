import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes } from './byte-size.ts'

test('a size uses the largest fitting unit', () => {
  assert.equal(formatBytes(0), '0 B')
  assert.equal(formatBytes(999), '999 B')
  assert.equal(formatBytes(1000), '1.0 kB')
  assert.equal(formatBytes(45_231), '45.2 kB')
  assert.equal(formatBytes(1_250_000_000), '1.3 GB')
})

test('a size that rounds up to the next unit uses that unit', () => {
  assert.equal(formatBytes(999_949), '999.9 kB')
  assert.equal(formatBytes(999_950), '1.0 MB')
  assert.equal(formatBytes(999_999_999_999_999), '1.0 PB')
})

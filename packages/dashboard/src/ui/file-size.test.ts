import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileSize } from './file-size.ts'

test('a size is told in the unit that people would choose', () => {
  assert.equal(fileSize(0), '0 B')
  assert.equal(fileSize(999), '999 B')
  assert.equal(fileSize(1000), '1.0 kB')
  assert.equal(fileSize(45_231), '45.2 kB')
  assert.equal(fileSize(1_250_000_000), '1.3 GB')
})

test('a size just below a unit is told in that unit, never as a thousand of the smaller', () => {
  assert.equal(fileSize(999_949), '999.9 kB')
  assert.equal(fileSize(999_950), '1.0 MB')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { progressLine } from './progress.ts'

test('the line tells how far it is, in files and bytes', () => {
  const stage = { doing: 'Uploading', files: 12, bytes: 4_000_000 }
  assert.equal(
    progressLine(stage, { files: 3, bytes: 1_000_000 }, 120),
    `Uploading ${'━'.repeat(6)}${'┄'.repeat(18)}  3/12 files  1.0 MB of 4.0 MB`,
  )
})

test('the line never wraps, whatever the terminal and the files', () => {
  const amount = fc.nat()
  fc.assert(
    fc.property(
      amount,
      amount,
      amount,
      amount,
      fc.integer({ min: 1, max: 200 }),
      (files, bytes, a, b, width) => {
        const line = progressLine({ doing: 'Reading', files, bytes }, { files: a, bytes: b }, width)
        assert.ok(line.length <= Math.max(1, width - 1))
      },
    ),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FileProgress, type FileState, filesToShow, progressOf } from './progress.ts'

function file(state: FileState, size = 4_000, underWay = 0): FileProgress {
  return { path: `/${state}`, size, state, underWay, fault: null }
}

test('a file on its way moves the whole forward at every step and never back', () => {
  const steps = [
    file('waiting'),
    file('hashed'),
    file('sending', 4_000, 1_000),
    file('sending', 4_000, 4_000),
    file('sent'),
  ]
  const fractions = steps.map((step) => progressOf([step, file('waiting')], 0.2).fraction)
  assert.deepEqual(
    fractions,
    fractions.toSorted((a, b) => a - b),
  )
  assert.equal(new Set(fractions).size, steps.length)
})

test('all is done when every file is there, empty ones included, and not before', () => {
  assert.equal(progressOf([file('sent'), file('there'), file('sent', 0)], 0.2).fraction, 1)
  assert.ok(progressOf([file('sent'), file('hashed', 0)], 0.2).fraction < 1)
  assert.equal(progressOf([], 0.2).fraction, 0)
})

test('bytes and files that the server has are counted, those under way in part', () => {
  const progress = progressOf(
    [file('sent', 10), file('there', 20), file('sending', 100, 40), file('failed')],
    0,
  )
  assert.equal(progress.filesThere, 2)
  assert.equal(progress.bytesThere, 70)
  assert.equal(progress.counts.failed, 1)
  // What a browser counts on the wire may be more than the file itself.
  assert.equal(progressOf([file('sending', 100, 130)], 0).bytesThere, 100)
})

test('of many files, what failed and what is at work is shown first, and never more than asked for', () => {
  const many = [
    ...Array.from({ length: 10_000 }, () => file('sent')),
    file('sending'),
    file('failed'),
    ...Array.from({ length: 10_000 }, () => file('waiting')),
  ]
  const shown = filesToShow(many, 6).map(({ state }) => state)
  assert.deepEqual(shown, ['failed', 'sending', 'sent', 'sent', 'sent', 'sent'])
  assert.deepEqual(
    filesToShow([file('there'), file('waiting')], 6).map(({ state }) => state),
    ['there', 'waiting'],
  )
  assert.deepEqual(filesToShow([], 6), [])
})

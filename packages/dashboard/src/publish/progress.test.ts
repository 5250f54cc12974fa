import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FileProgress, type FileState, filesToShow, progressOf } from './progress.ts'

function file(state: FileState, size = 4_000, bytesSent = 0): FileProgress {
  return { path: `/${state}`, size, state, bytesSent, reason: null }
}

test('the bar shows the share of bytes, however many files there are', () => {
  const files = [
    file('sending', 100_700_000, 19_500_000),
    ...Array.from({ length: 900 }, () => file('hashed', 0)),
  ]
  const { fraction, bytesThere, bytes } = progressOf(files)
  assert.equal(fraction, bytesThere / bytes)
  assert.equal(Math.floor(fraction * 100), 19)
  assert.equal(
    progressOf([file('hashed'), file('hashing'), file('waiting'), file('waiting')]).hashedFraction,
    0.25,
  )
})

test('progress is complete only when every file is, including empty ones', () => {
  assert.equal(progressOf([file('sent'), file('there'), file('sent', 0)]).fraction, 1)
  assert.equal(progressOf([file('sent', 0)]).fraction, 1)
  assert.ok(progressOf([file('sent'), file('hashed', 0)]).fraction < 1)
  assert.ok(progressOf([file('sending', 100, 100)]).fraction < 1)
  assert.equal(progressOf([]).fraction, 0)
})

test('bytes and files that the server has are counted, partial uploads too', () => {
  const progress = progressOf([file('sent', 10), file('there', 20), file('sending', 100, 40), file('failed')])
  assert.equal(progress.filesThere, 2)
  assert.equal(progress.bytesThere, 70)
  assert.equal(progress.counts.failed, 1)
  // Browsers may count more bytes on the wire than the file has.
  assert.equal(progressOf([file('sending', 100, 130)]).bytesThere, 100)
})

test('failed and active files are shown first, up to the requested number', () => {
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

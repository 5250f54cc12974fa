import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FileProgress, type FileState, progressOf } from './progress.ts'
import { UnclearOutcomeError, type UploadStep, type UploadView, uploadWords } from './upload-view.ts'

function view(step: UploadStep, states: readonly FileState[], change: Partial<UploadView> = {}) {
  const files = states.map(
    (state): FileProgress => ({ path: '/a', size: 1_500, state, bytesSent: 0, reason: null }),
  )
  const whole: UploadView = {
    step,
    kind: 'folder',
    progress: progressOf(files),
    shown: files,
    error: null,
    deployment: null,
    goesLive: true,
    needsFolder: false,
    ...change,
  }
  return whole
}

test('each step shows its progress', () => {
  assert.equal(
    uploadWords(view('hashing', ['hashed', 'hashing', 'waiting'])).detail,
    '1 of 3 files, so that only new ones are uploaded',
  )
  assert.equal(
    uploadWords(view('sending', ['sent', 'there', 'hashed'])).detail,
    '2 of 3 files, 3.0 kB of 4.5 kB · 1 unchanged',
  )
  assert.equal(
    uploadWords(view('done', ['sent', 'there'])).detail,
    '2 files, 3.0 kB · 1 uploaded, 1 unchanged',
  )
  assert.equal(uploadWords(view('done', ['there'])).detail, '1 file, 1.5 kB · all unchanged')
})

test('a failure says how many files failed, and that the live site is unchanged', () => {
  assert.match(
    uploadWords(view('failed', ['failed', 'sent'])).detail,
    /^1 file could not be uploaded\. .*not changed/,
  )
  assert.match(
    uploadWords(view('failed', ['hashed'], { error: new Error('lost') })).detail,
    /^The live site has not changed/,
  )
})

test('a connection lost in the last step does not claim that nothing changed', () => {
  const error = new UnclearOutcomeError(new Error('lost'))
  assert.equal(
    uploadWords(view('failed', ['sent'], { error })).detail,
    'The connection was lost while going live, so the new version may be live already. Trying again sends nothing twice.',
  )
  assert.match(uploadWords(view('failed', ['sent'], { error, goesLive: false })).detail, /the preview may be/)
})

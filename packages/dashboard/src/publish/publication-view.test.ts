import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FileProgress, type FileState, progressOf } from './progress.ts'
import { type PublicationStep, type PublicationView, publicationWords } from './publication-view.ts'

function view(step: PublicationStep, states: readonly FileState[], change: Partial<PublicationView> = {}) {
  const files = states.map(
    (state): FileProgress => ({ path: '/a', size: 1_500, state, underWay: 0, fault: null }),
  )
  const whole: PublicationView = {
    step,
    kind: 'folder',
    progress: progressOf(files),
    shown: files,
    error: null,
    deployment: null,
    goesLive: true,
    ...change,
  }
  return whole
}

test('each step says what is done and how far it is', () => {
  assert.equal(
    publicationWords(view('hashing', ['hashed', 'hashing', 'waiting'])).detail,
    '1 of 3 files, to send only what is new',
  )
  assert.equal(
    publicationWords(view('sending', ['sent', 'there', 'hashed'])).detail,
    '2 of 3 files, 3.0 kB of 4.5 kB · 1 there already',
  )
  assert.equal(
    publicationWords(view('done', ['sent', 'there'])).detail,
    '2 files, 3.0 kB · 1 sent, 1 there already',
  )
  assert.equal(publicationWords(view('done', ['there'])).detail, '1 file, 1.5 kB · all there already')
})

test('a failure says how many files it is about, and that what is served stays', () => {
  assert.match(
    publicationWords(view('failed', ['failed', 'sent'])).detail,
    /^1 file could not be sent; .*not changed/,
  )
  assert.match(
    publicationWords(view('failed', ['hashed'], { error: new Error('lost') })).detail,
    /^What is served has not changed/,
  )
})

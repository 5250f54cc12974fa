import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { problemWords } from './problem-words.ts'

const problem = (status: number, code: ProblemDocument['code'], detail: string, retryAfterMs?: number) =>
  new ProblemError({ type: 'about:blank', title: '', status, code, detail, requestId: 'req_1' }, retryAfterMs)

test('a problem is told in its own words, with what to do about it', () => {
  const words = problemWords(problem(410, 'link_invalid', 'This link has been used'))
  assert.equal(words.what, 'This link has been used.')
  assert.match(words.fix, /Ask for a new one/)
  assert.equal(words.requestId, null)
})

test('a wait is told as people count it, never too short', () => {
  assert.equal(
    problemWords(problem(429, 'too_many_attempts', 'Slow down.', 22_100)).fix,
    'Try again in 23 s.',
  )
  assert.equal(
    problemWords(problem(429, 'too_many_attempts', 'Slow down.', 601_000)).fix,
    'Try again in 11 min.',
  )
})

test('a wait that the problem tells itself is told once', () => {
  assert.equal(problemWords(problem(429, 'too_many_attempts', 'Try again in 6 s.', 5_400)).fix, '')
})

test('a fault on our side comes with the request id to hand on', () => {
  assert.equal(problemWords(problem(500, 'internal', 'It broke.')).requestId, 'req_1')
})

test('a server that does not answer is told as such', () => {
  assert.match(problemWords(new ConnectionError('http://localhost:8080', null)).what, /Could not reach/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { problemWords } from './problem-words.ts'

const problem = (status: number, code: ProblemDocument['code'], detail: string, retryAfterMs?: number) =>
  new ProblemError({ type: 'about:blank', title: '', status, code, detail, requestId: 'req_1' }, retryAfterMs)

test('a problem is shown with its detail and its fix', () => {
  const words = problemWords(problem(410, 'link_invalid', 'This link has been used'))
  assert.equal(words.what, 'This link has been used.')
  assert.match(words.fix, /Get a new one/)
  assert.equal(words.requestId, null)
})

test('a wait is shown in seconds or minutes, rounded up', () => {
  assert.equal(
    problemWords(problem(429, 'too_many_attempts', 'Slow down.', 22_100)).fix,
    'Try again in 23 s.',
  )
  assert.equal(
    problemWords(problem(429, 'too_many_attempts', 'Slow down.', 601_000)).fix,
    'Try again in 11 min.',
  )
})

test('a wait that the detail mentions is not repeated', () => {
  assert.equal(problemWords(problem(429, 'too_many_attempts', 'Try again in 6 s.', 5_400)).fix, '')
})

test('a server error comes with its request ID', () => {
  assert.equal(problemWords(problem(500, 'internal', 'It broke.')).requestId, 'req_1')
})

test('without an answer, people are told to check their connection', () => {
  const { what, fix } = problemWords(new ConnectionError('http://localhost:8080', null))
  assert.equal(
    `${what} ${fix}`,
    'Could not reach http://localhost:8080. Check your connection, then try again.',
  )
})

test('an answer that the page stumbles over is told without the words of JavaScript', () => {
  const { what, fix } = problemWords(new TypeError('r.items is not iterable'))
  assert.equal(
    `${what} ${fix}`,
    'The server gave an answer that this page does not expect. Reload the page: it may be older than the server.',
  )
})

test('an ended session asks to sign in, not for a key', () => {
  const { what, fix } = problemWords(problem(401, 'unauthenticated', 'This needs an API key or a session.'))
  assert.equal(`${what} ${fix}`, 'Your session ended. Sign in, then try again.')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { retryNote } from './failure.ts'

const problem = (code: ProblemDocument['code'], detail: string) =>
  new ProblemError({ type: 'about:blank', title: 'T', status: 429, detail, code, requestId: 'req_1' })

test('a used-up window is told with its figure and how long it takes, jitter included', () => {
  const error = problem('rate_limited', 'All 60 requests of this minute are used. They start again in 60 s.')
  assert.equal(
    retryNote({ waitMs: 63_000, error }),
    'All 60 requests of this minute are used. Retrying in 63 s.',
  )
})

test('other waits are told in general, moments not at all', () => {
  const error = problem('unavailable', 'The database is away. It will be back.')
  assert.equal(retryNote({ waitMs: 5000, error }), 'The server asked us to wait. Retrying in 5 s.')
  assert.equal(retryNote({ waitMs: 1999, error: new ConnectionError('http://x', null) }), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day } from '../kernel/clock.ts'
import { certificateRow } from './certificate-row.test-kit.ts'
import { stateOf } from './certificate-state.ts'
import type { JobRow } from './jobs/job.ts'

const now = Date.UTC(2030, 0, 1)
const certificate = certificateRow('www.acme.test')
const job = { attempts: 2, last_error: '{"kind":"dns"}', next_attempt_at: now } as JobRow

test('a certificate is valid until it expires, even while its renewal fails', () => {
  assert.equal(stateOf(certificate, undefined, now).status, 'valid')
  const renewing = stateOf(certificate, job, now)
  assert.equal(renewing.status, 'valid')
  assert.deepEqual(renewing.lastError, { kind: 'dns' })
  assert.equal(renewing.nextAttemptAt, '2030-01-01T00:00:00.000Z')
})

test('one in progress is pending; one that was refused or has expired is failed', () => {
  assert.equal(stateOf(undefined, job, now).status, 'pending')
  assert.equal(stateOf(undefined, { ...job, next_attempt_at: null }, now).status, 'failed')
  assert.equal(stateOf(certificate, undefined, now + 90 * day).status, 'failed')
  assert.equal(stateOf(certificate, job, now + 90 * day).status, 'pending')
  assert.equal(stateOf(undefined, undefined, now).status, 'none')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainStateNames } from '@masthead/contract/domains/states.ts'
import { pendingDomain, rightCheck } from '../../test/sample-domains.ts'
import { isDnsCorrect, isSettled, pendingReason, statusStyle, statusTitle, waitingLine } from './status.ts'

const now = Date.parse('2026-11-14T12:00:00Z')
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

const domain = { ...pendingDomain('www.acme.com', now), lastCheck: rightCheck, nextCheckAt: at(4) }

const place = { now, also: ' --project site' }

test('every state says what is waited for', () => {
  for (const state of domainStateNames) assert.notEqual(pendingReason({ ...domain, state }, place), '', state)
})

test('a certificate in trouble is told as trouble, in the list and beside it', () => {
  const lastError = {
    kind: 'caa_forbids',
    at: at(0),
    authority: 'CA',
    message: 'A CAA record forbids it.',
    hint: '',
    said: null,
    problem: null,
    add: { type: 'CAA', fqdn: 'acme.com', value: '0 issue "ca.example"' },
  }
  const certificate = { ...domain.certificate, status: 'pending', lastError, nextAttemptAt: at(60) } as const
  const refused = { ...domain, state: 'verified', certificate } as const
  assert.deepEqual([statusTitle(refused), statusStyle(refused)], ['Certificate refused', 'red'])
  assert.match(pendingReason(refused, place), /its certificate was refused, next attempt at/)
  const delayed = {
    ...refused,
    certificate: { ...certificate, lastError: { ...lastError, kind: 'connection', add: null } },
  }
  assert.deepEqual([statusTitle(delayed), statusStyle(delayed)], ['Certificate delayed', 'yellow'])
  assert.equal(statusTitle({ ...domain, state: 'verified' }), 'Verified')
})

test('the command that starts a search again is about the same project', () => {
  assert.match(
    pendingReason({ ...domain, state: 'failed' }, place),
    /`masthead domains verify www\.acme\.com --project site`/,
  )
})

test('watching ends where DNS is right or nobody searches, and only the first is a success', () => {
  const ends = domainStateNames.map((state) => [
    state,
    isSettled({ ...domain, state }),
    isDnsCorrect({ ...domain, state }),
  ])
  assert.deepEqual(ends, [
    ['pending', false, false],
    ['prepared', false, false],
    ['verified', true, true],
    ['live', true, true],
    ['drifted', false, false],
    ['failed', true, false],
    ['suspended', true, false],
  ])
  const record = { type: 'CNAME', fqdn: '', name: '', value: '', ttl: 60, status: 'ok' } as const
  const preparation = { record: { ...record, observed: [] }, certificate: true, tested: false, ready: false }
  const prepared = { ...domain, state: 'prepared', preparation } as const
  assert.equal(isSettled(prepared), false)
  assert.equal(isSettled({ ...prepared, preparation: { ...preparation, tested: true, ready: true } }), true)
})

test('the wait tells since when, when the next look is, and how long it goes on', () => {
  const looked = { ...domain, lastCheck: { ...rightCheck, at: at(-6) } }
  assert.equal(
    waitingLine(looked, now),
    'Added 5 min ago. Checked 6 s ago, next check in 4 s. Checking ends in 1 d 23 h.',
  )
  assert.equal(
    waitingLine({ ...looked, nextCheckAt: at(-1), checkedUntil: null }, now),
    'Added 5 min ago. Checked 6 s ago, checking now.',
  )
})

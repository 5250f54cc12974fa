import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import { describeEntry } from './timeline.ts'

const now = new Date(2026, 0, 2, 12, 0).getTime()
const later = new Date(2026, 0, 2, 12, 30).toISOString()

function told(kind: TimelineEntry['kind'], data: TimelineEntry['data'], times = 1): string {
  const at = new Date(now).toISOString()
  const by = { kind: 'system', id: null, name: 'Masthead' } as const
  return describeEntry({ kind, message: 'It happened', at, lastAt: at, times, by, check: null, data }, now)
}

test('an entry says why, from where, at which address and with which certificate', () => {
  assert.equal(told('probe_failed', { via: 'edge', why: 'nobody answered' }), 'It happened: nobody answered')
  assert.equal(
    told('certificate_problem', { message: 'A CAA record forbids it.', nextAttemptAt: later }, 3),
    'It happened: A CAA record forbids it, next attempt 12:30 (3 times since 12:00)',
  )
  assert.equal(told('moved', { from: 'acme', to: 'other' }), 'It happened: from acme, to other')
  const evidence = { at: later, address: '192.0.2.10', serial: '03ab', via: 'edge' }
  for (const kind of ['live', 'probed'] as const) {
    assert.equal(told(kind, { evidence }), 'It happened: at 192.0.2.10, serial 03ab')
  }
  assert.equal(
    told('certificate_issued', { authority: "Let's Encrypt", serial: '03ab', notAfter: later }),
    "It happened: from Let's Encrypt, serial 03ab, until 12:30",
  )
  const passedOver = [
    { authority: "Let's Encrypt", kind: 'unreachable', message: 'It could not be reached.' },
  ]
  assert.equal(
    told('certificate_ordered', { authority: 'ZeroSSL', passedOver }),
    "It happened: from ZeroSSL, passed over: Let's Encrypt (It could not be reached)",
  )
  assert.equal(
    told('certificate_ordered', { authority: 'ZeroSSL', passedOver: 'x' }),
    'It happened: from ZeroSSL',
  )
})

test('a change of configuration says what was and what is', () => {
  assert.equal(
    told('primary_changed', { was: 'acme.com', is: 'www.acme.com' }),
    'It happened: was acme.com, is www.acme.com',
  )
  assert.equal(told('branch_changed', { was: null, is: 'next' }), 'It happened: was what is live, is next')
  assert.equal(
    told('redirect_changed', { was: null, is: { to: 'acme.com', status: 301 } }),
    'It happened: was nowhere, is acme.com (301)',
  )
})

test('where nothing more is known nothing more is said, and a strange server cannot move the cursor', () => {
  for (const data of [{}, { why: 7 }, { message: { html: '<b>' } }]) {
    assert.equal(told('added', data), 'It happened')
    assert.equal(told('live', { evidence: data }), 'It happened')
  }
  assert.equal(told('probe_failed', { why: 'a\x1b[2Jb' }), 'It happened: a\u{fffd}[2Jb')
})

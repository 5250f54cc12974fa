import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import { checkWith, findingOf, later, noon, rightCheck } from './domain.test-kit.ts'
import { timelineDetail, timelineTone, timelineWhen } from './timeline-words.ts'

function entry(more: Partial<TimelineEntry> = {}): TimelineEntry {
  return {
    kind: 'checked',
    message: 'DNS was checked',
    at: noon,
    lastAt: noon,
    times: 1,
    by: { kind: 'system', id: null, name: 'Masthead' },
    check: null,
    data: {},
    ...more,
  }
}

test('a repeated event is one entry with its count, last and first time', () => {
  assert.deepEqual(timelineWhen(entry({ times: 14, lastAt: later })), [
    '14 times, last ',
    { ago: later },
    ', first ',
    { ago: noon },
    ' automatically',
  ])
})

test('an action of a person names them', () => {
  const by = { kind: 'person', id: 'per_1', name: 'Ada' } as const
  assert.deepEqual(timelineWhen(entry({ by })), [{ ago: noon }, ' by Ada'])
})

test('an entry shows its result, from the check or from its data', () => {
  const findings = [findingOf('cached_not_found', 'tells'), findingOf('cname_missing', 'stops')]
  const detail = (more: Partial<TimelineEntry>) => timelineDetail(entry(more))
  assert.equal(detail({ check: checkWith({ findings }) }), 'The CNAME record is missing.')
  assert.equal(detail({ check: rightCheck }), 'DNS is correct.')
  assert.equal(
    detail({ data: { message: 'It could not connect.', authority: 'X' } }),
    'It could not connect.',
  )
  assert.equal(detail({ data: { why: 'no answer' } }), 'no answer')
  assert.equal(detail({ data: { authority: 'The internal CA' } }), 'By the internal CA.')
})

test('a configuration change shows the old and the new value', () => {
  const primary = { was: 'acme.com', is: 'www.acme.com' }
  assert.equal(timelineDetail(entry({ data: primary })), 'Changed from acme.com to www.acme.com.')
  const redirect = { was: { to: 'acme.com', status: 301 }, is: null }
  assert.equal(timelineDetail(entry({ data: redirect })), 'Changed from acme.com (301) to none.')
  const branch = entry({ kind: 'branch_changed', data: { was: null, is: 'next' } })
  assert.equal(timelineDetail(branch), 'Changed from what is live to next.')
})

test('unknown data is not shown', () => {
  for (const data of [{}, { message: { html: '<b>' } }, { authority: 7 }, { why: '' }]) {
    assert.equal(timelineDetail(entry({ data })), null)
  }
})

test('only changes for better or worse have a colour', () => {
  assert.equal(timelineTone({ kind: 'live' }), 'live')
  assert.equal(timelineTone({ kind: 'lost' }), 'stopped')
  assert.equal(timelineTone({ kind: 'checked' }), 'idle')
})

test('a certificate says by whom it was issued, and who was passed over and why', () => {
  const passedOver = [
    { authority: 'First CA', kind: 'unreachable', message: 'First CA could not be reached.' },
  ]
  const data = { authority: 'Second CA', passedOver }
  assert.equal(
    timelineDetail(entry({ kind: 'certificate_issued', data })),
    'By Second CA. Passed over: First CA (First CA could not be reached).',
  )
  assert.equal(
    timelineDetail(entry({ data: { authority: 'Second CA', passedOver: [null, 7] } })),
    'By Second CA.',
  )
})

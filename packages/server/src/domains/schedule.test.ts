import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainStateNames, domainStates } from '@masthead/contract/domains/states.ts'
import fc from 'fast-check'
import { day, hour, minute, second } from '../kernel/clock.ts'
import { nextCheckAt, type Scheduled, searchDuration } from './schedule.ts'

const start = Date.UTC(2030, 0, 1)
const unjittered = 0.5

function waitAfter(
  elapsed: number,
  row: Partial<Scheduled>,
  outcome: 'right' | 'wrong' | 'unclear' = 'wrong',
) {
  const scheduled = {
    state: 'pending',
    state_since: start,
    searching_since: start,
    asked_at: start,
    ...row,
  } as const
  const now = start + elapsed
  const next = nextCheckAt(scheduled, outcome, now, unjittered)
  return next === null ? null : next - now
}

test('checks are frequent in the first minutes and rare after hours', () => {
  const waits = [0, 59 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour, 47 * hour].map((elapsed) =>
    waitAfter(elapsed, {}),
  )
  assert.deepEqual(waits, [
    5 * second,
    5 * second,
    10 * second,
    30 * second,
    2 * minute,
    10 * minute,
    30 * minute,
    30 * minute,
  ])
})

test('checks become frequent again on request', () => {
  assert.equal(waitAfter(20 * hour, { asked_at: start + 20 * hour }), 5 * second)
})

test('the last automatic check falls on the end of the search', () => {
  assert.equal(waitAfter(searchDuration - 10 * minute, {}), 10 * minute)
})

test('served domains are checked by state, and drifted ones less often after a day', () => {
  assert.equal(waitAfter(hour, { state: 'verified' }, 'right'), 10 * minute)
  assert.equal(waitAfter(hour, { state: 'live' }, 'right'), 3 * hour)
  assert.equal(waitAfter(hour, { state: 'drifted' }), 10 * minute)
  assert.equal(waitAfter(day, { state: 'drifted' }), hour)
})

test('a verified domain is checked often, and one that just went live once more soon', () => {
  const waits = [0, minute, 10 * minute].map((elapsed) => waitAfter(elapsed, { state: 'verified' }, 'right'))
  assert.deepEqual(waits, [5 * second, minute, 10 * minute])
  assert.deepEqual(
    [0, 5 * second].map((elapsed) => waitAfter(elapsed, { state: 'live' }, 'right')),
    [5 * second, 3 * hour],
  )
})

test('an unclear check is repeated within five minutes, or earlier if due', () => {
  assert.equal(waitAfter(hour, { state: 'live' }, 'unclear'), 5 * minute)
  assert.equal(waitAfter(0, {}, 'unclear'), 5 * second)
})

test('every state that is checked has a next time after now, and the others have none', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...domainStateNames),
      fc.constantFrom('right' as const, 'wrong' as const, 'unclear' as const),
      fc.nat(5 * day),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (state, outcome, elapsed, random) => {
        const row = { state, state_since: start, searching_since: start, asked_at: start }
        const now = start + elapsed
        const next = nextCheckAt(row, outcome, now, random)
        if (domainStates[state].checked === 'no') assert.equal(next, null)
        else assert.ok(next !== null && next > now && next <= now + 3.3 * hour)
      },
    ),
  )
})

test('domains with the same past are spread over a fifth of the interval', () => {
  const row = { state: 'live', state_since: start - day, searching_since: start, asked_at: start } as const
  const [early, late] = [0, 1].map((random) => nextCheckAt(row, 'right', start, random))
  assert.deepEqual([early, late], [start + 2.7 * hour, start + 3.3 * hour])
})

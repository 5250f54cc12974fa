import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainStateNames, isServed } from '@masthead/contract/domains/states.ts'
import { hour } from '../kernel/clock.ts'
import { searchDuration } from './schedule.ts'
import { decideTransition } from './transitions.ts'

const start = Date.UTC(2030, 0, 1)
const at = (elapsed: number) => start + elapsed

test('right DNS verifies a waiting domain and takes the name, unless the account holds it already', () => {
  const waiting = { state: 'pending', searching_since: start, state_since: start } as const
  const verified = { trigger: 'dns_right', state: 'verified' }
  assert.deepEqual(decideTransition({ ...waiting, held: 0 }, 'right', at(1)), {
    ...verified,
    takesName: true,
    losesName: false,
  })
  assert.deepEqual(decideTransition({ ...waiting, held: 1 }, 'right', at(1)), {
    ...verified,
    takesName: false,
    losesName: false,
  })
})

test('right DNS found at the very end of the search still counts', () => {
  const row = { state: 'pending', held: 0, searching_since: start, state_since: start } as const
  assert.equal(decideTransition(row, 'right', at(searchDuration + 1)).state, 'verified')
})

test('with wrong DNS a live domain drifts and a verified one waits again', () => {
  const states = domainStateNames.map(
    (state) =>
      decideTransition({ state, held: 1, searching_since: start, state_since: start }, 'wrong', at(1)).state,
  )
  assert.deepEqual(states, ['pending', 'prepared', 'pending', 'drifted', 'drifted', 'failed', 'suspended'])
})

test('a delegation prepares a waiting domain that points elsewhere, until it is gone or DNS is right', () => {
  const row = { state: 'pending', held: 0, searching_since: start, state_since: start } as const
  const prepared = { trigger: 'delegated', state: 'prepared', takesName: true, losesName: false }
  assert.deepEqual(decideTransition(row, 'wrong', at(1), false, 'delegated'), prepared)
  assert.equal(decideTransition(row, 'right', at(1), false, 'delegated').state, 'verified')
  const after = { ...row, state: 'prepared', held: 1 } as const
  const states = (['delegated', 'unclear', 'missing'] as const).map(
    (delegation) => decideTransition(after, 'wrong', at(1), false, delegation).state,
  )
  assert.deepEqual(states, ['prepared', 'prepared', 'pending'])
  assert.equal(decideTransition(after, 'right', at(1), false, 'missing').state, 'verified')
  assert.equal(decideTransition(after, 'wrong', at(1), true, 'delegated').losesName, true)
})

test('a served domain drifts with wrong DNS, although the delegation of its challenge is missing', () => {
  const row = { state: 'live', held: 1, searching_since: start, state_since: start } as const
  assert.equal(decideTransition(row, 'wrong', at(1), false, 'missing').state, 'drifted')
})

test('an unclear check changes no state', () => {
  for (const state of domainStateNames) {
    for (const held of [0, 1]) {
      const decision = decideTransition(
        { state, held, searching_since: start, state_since: start },
        'unclear',
        at(1),
      )
      assert.deepEqual(decision, { trigger: null, state, takesName: false, losesName: false })
    }
  }
})

test('automatic checks end after 48 hours, whether DNS was wrong or unclear', () => {
  const row = { state: 'pending', held: 0, searching_since: start, state_since: start } as const
  for (const outcome of ['wrong', 'unclear'] as const) {
    assert.equal(decideTransition(row, outcome, at(searchDuration - 1)).state, 'pending')
    assert.equal(decideTransition(row, outcome, at(searchDuration)).state, 'failed')
  }
})

test('a failed or suspended domain takes no name', () => {
  for (const state of domainStateNames.filter((name) => !isServed(name) && name !== 'pending')) {
    assert.deepEqual(
      decideTransition({ state, held: 0, searching_since: start, state_since: start }, 'right', at(1))
        .takesName,
      false,
    )
  }
})

test('under a domain that another account has proved, a holder with wrong DNS loses the name after an hour', () => {
  const row = { held: 1, searching_since: start, state_since: start } as const
  const lost = (
    state: 'pending' | 'verified' | 'live' | 'drifted',
    outcome: 'right' | 'wrong' | 'unclear',
    passed: number,
  ) => decideTransition({ ...row, state }, outcome, at(passed), true).losesName
  for (const outcome of ['right', 'unclear'] as const) {
    for (const state of ['pending', 'verified', 'live', 'drifted'] as const) {
      assert.equal(lost(state, outcome, 2 * hour), false)
    }
  }
  assert.equal(lost('live', 'wrong', 2 * hour), false)
  assert.equal(lost('verified', 'wrong', 2 * hour), false)
  assert.equal(lost('drifted', 'wrong', hour - 1), false)
  assert.equal(lost('drifted', 'wrong', hour), true)
  assert.equal(lost('pending', 'wrong', 1), true)
  // An account that does not hold the name has none to lose.
  const waiting = { ...row, state: 'pending', held: 0 } as const
  assert.deepEqual(decideTransition(waiting, 'wrong', at(1), true), {
    trigger: 'dns_wrong',
    state: 'pending',
    takesName: false,
    losesName: false,
  })
})

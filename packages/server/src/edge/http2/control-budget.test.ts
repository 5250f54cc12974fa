import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ControlBudget } from './control-budget.ts'
import { errorCodes, Http2Error } from './frames/protocol.ts'

const limits = { resetBurst: 10, resetRate: 5 }

function startBudget() {
  const clock = { at: 1_000_000 }
  return { clock, budget: new ControlBudget(limits, () => clock.at) }
}

/** How often a client may do it until it is told to calm down. */
function countUntilCalm(spend: () => void): number {
  for (let count = 0; count < 2_000; count++) {
    try {
      spend()
    } catch (error) {
      assert.ok(error instanceof Http2Error && error.code === errorCodes.enhanceYourCalm)
      return count
    }
  }
  return assert.fail('it is never told to calm down')
}

test('a client that keeps to the rate is never told to calm down', () => {
  const { budget, clock } = startBudget()
  for (let second = 0; second < 100; second++) {
    for (let n = 0; n < limits.resetRate; n++) budget.spend()
    clock.at += 1_000
  }
})

test('a long pause gives back the burst, and no more', () => {
  const { budget, clock } = startBudget()
  for (let n = 0; n < limits.resetBurst; n++) budget.spend()
  clock.at += 3_600_000
  assert.equal(
    countUntilCalm(() => budget.spend()),
    limits.resetBurst,
  )
})

test('a clock that is set back takes nothing away', () => {
  const { budget, clock } = startBudget()
  for (let n = 0; n < limits.resetBurst; n++) budget.spend()
  clock.at += 1_000
  budget.spend()
  clock.at -= 3_600_000
  assert.equal(
    countUntilCalm(() => budget.spend()),
    limits.resetRate - 1,
  )
})

test('for each DATA frame a client may answer with three frames, and save up a thousand', () => {
  const { budget } = startBudget()
  assert.equal(
    countUntilCalm(() => budget.spendCredit()),
    limits.resetBurst,
  )
  budget.earn(2)
  assert.equal(
    countUntilCalm(() => budget.spendCredit()),
    6,
  )
  for (let n = 0; n < 10_000; n++) budget.earn(1)
  assert.equal(
    countUntilCalm(() => budget.spendCredit()),
    1_000,
  )
})

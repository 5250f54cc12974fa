import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute, second } from '../../kernel/clock.ts'
import { createRefusedReport } from './refused-connections.ts'

test('refused connections are reported once a minute, with how many, and not while there are none', () => {
  const state = { refused: 0, now: 0 }
  const lines: number[] = []
  const check = createRefusedReport(
    () => state.refused,
    (refused) => lines.push(refused),
    () => state.now,
  )
  check()
  assert.deepEqual(lines, [])
  for (; state.now < 3 * minute; state.now += second) {
    state.refused += 10
    check()
  }
  assert.deepEqual(lines, [10, 600, 600])
  for (; state.now < 9 * minute; state.now += second) check()
  assert.deepEqual(lines, [10, 600, 600, 590])
})

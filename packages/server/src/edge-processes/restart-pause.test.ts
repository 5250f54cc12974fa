import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour, second } from '../clock.ts'
import { earlyEnds, restartPause } from './restart-pause.ts'

test('a process that ends at every start is started at ever longer intervals, up to half a minute', () => {
  const pauses: number[] = []
  let early = 0
  for (let start = 0; start < 50; start++) {
    early = earlyEnds(early, second)
    pauses.push(restartPause(early))
  }
  assert.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  )
  assert.ok((pauses[0] ?? 0) > 0)
  assert.equal(pauses.at(-1), 30 * second)
})

test('a process that ran for long is back soon, whatever happened before it did', () => {
  assert.equal(restartPause(earlyEnds(40, hour)), restartPause(1))
})

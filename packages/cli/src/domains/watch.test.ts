import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pendingDomain, rightCheck } from '../../test/sample-domains.ts'
import { displayRows } from '../terminal/layout.ts'
import { fitToScreen, nextPollMs } from './watch.ts'

const now = Date.parse('2026-11-14T12:00:00Z')
const minute = 60_000

/** Looked at `last` ago, and to be looked at again in `next`. */
function searched(last: number, next: number | null) {
  const at = (ms: number) => new Date(now + ms).toISOString()
  const lastCheck = { ...rightCheck, at: at(-last) }
  return { ...pendingDomain('www.acme.com', now), lastCheck, nextCheckAt: next === null ? null : at(next) }
}

test("the next look follows the server's own by a moment", () => {
  assert.equal(nextPollMs(searched(1_000, 4_000), now), 4_500)
  assert.equal(nextPollMs(searched(29 * minute, minute), now), minute + 500)
  assert.equal(nextPollMs({ ...searched(0, 3_000), lastCheck: null }, now), 3_500)
})

test('the rarer the looks, the rarer it is asked between them', () => {
  assert.equal(nextPollMs(searched(0, 30_000), now), 15_000)
  assert.equal(nextPollMs(searched(0, 2 * minute), now), 30_000)
  assert.equal(nextPollMs(searched(0, 10 * minute), now), 2.5 * minute)
  assert.equal(nextPollMs(searched(0, 180 * minute), now), 5 * minute)
})

test('a look that is under way is asked for every second, one that never comes ever more rarely', () => {
  assert.equal(nextPollMs(searched(5_000, -2_000), now), 1_000)
  assert.equal(nextPollMs(searched(30_000, -20_500), now), 5_000)
  assert.equal(nextPollMs(searched(24 * 60 * minute, -23 * 60 * minute), now), minute)
  assert.equal(nextPollMs(searched(1_000, null), now), 5_000)
  assert.equal(nextPollMs(searched(60 * minute, null), now), minute)
})

test('a watch that is left alone for a day needs a fraction of the requests of a day', () => {
  for (const every of [10 * minute, 30 * minute, Number.POSITIVE_INFINITY]) {
    let asked = 0
    for (let at = 0; at < 24 * 60 * minute; asked++) {
      const sinceLook = every === Number.POSITIVE_INFINITY ? at : at % every
      at += nextPollMs(searched(sinceLook, every === Number.POSITIVE_INFINITY ? -at : every - sinceLook), now)
    }
    assert.ok(asked < 1_600, `${asked} requests where it is looked every ${every} ms`)
  }
})

const long = 'x'.repeat(150)

test('what has rows enough is shown as it is', () => {
  assert.deepEqual(fitToScreen(['a', long, 'z'], 80, 4), ['a', long, 'z'])
})

test('of what has not, the beginning and the last line are shown, and no line is cut', () => {
  assert.deepEqual(fitToScreen(['a', long, 'b', 'z'], 80, 4), ['a', '…', 'z'])
  assert.deepEqual(fitToScreen(['a', 'b', 'c', 'd', long], 80, 4), ['a', '…', long])
  const shown = fitToScreen(Array(100).fill(long), 80, 23)
  assert.ok(shown.reduce((sum, line) => sum + displayRows(line, 80), 0) <= 23)
})

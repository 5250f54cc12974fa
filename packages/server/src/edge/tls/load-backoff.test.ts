import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadBackoff } from './load-backoff.ts'

test('what failed is left alone for a moment, twice as long each time, up to four seconds', () => {
  const clock = { at: 0 }
  const failed = new LoadBackoff(() => clock.at)
  const pauses: number[] = []
  for (let n = 0; n < 7; n++) {
    failed.add('a')
    const since = clock.at
    while (failed.isTooSoon('a')) clock.at += 50
    pauses.push(clock.at - since)
  }
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
})

test('a change, or a load that succeeds, lets it be tried at once', () => {
  const failed = new LoadBackoff(() => 0)
  const names = ['a', 'b', 'c']
  for (const name of names) failed.add(name)
  failed.forget(['a'])
  assert.deepEqual(
    names.map((name) => failed.isTooSoon(name)),
    [false, true, true],
  )
  failed.forget(null)
  assert.ok(names.every((name) => !failed.isTooSoon(name)))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadBackoff } from './load-backoff.ts'

test('the pause doubles with every failure, up to four seconds', () => {
  const clock = { at: 0 }
  const backoff = new LoadBackoff(() => clock.at)
  const pauses: number[] = []
  for (let n = 0; n < 7; n++) {
    backoff.add('a')
    const since = clock.at
    while (backoff.isBackingOff('a')) clock.at += 50
    pauses.push(clock.at - since)
  }
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
})

test('a change or a successful load ends the backoff', () => {
  const backoff = new LoadBackoff(() => 0)
  const names = ['a', 'b', 'c']
  for (const name of names) backoff.add(name)
  backoff.forget(['a'])
  assert.deepEqual(
    names.map((name) => backoff.isBackingOff(name)),
    [false, true, true],
  )
  backoff.forget(null)
  assert.ok(names.every((name) => !backoff.isBackingOff(name)))
})

test('a clock that is set back does not make the pause longer', () => {
  const clock = { at: 3_600_000 }
  const backoff = new LoadBackoff(() => clock.at)
  backoff.add('a')
  assert.equal(backoff.isBackingOff('a'), true)
  clock.at = 0
  assert.equal(backoff.isBackingOff('a'), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefusalPause } from './refusal-pause.ts'

test('a thousand wait at once, and nobody waits behind them', async () => {
  const pause = new RefusalPause(300)
  const waiting = Array.from({ length: 1_000 }, () => pause.wait().then(() => 'waited'))
  const next = pause.wait().then(() => 'went on')
  assert.equal(await Promise.race([...waiting, next]), 'went on')
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['waited']))
  const again = pause.wait().then(() => 'waited')
  assert.equal(await Promise.race([again, Promise.resolve('not yet')]), 'not yet')
  await again
})

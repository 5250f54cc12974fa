import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { forEachConcurrently } from './concurrency.ts'

test('all items are processed, never more at once than allowed', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++running)
    await turn()
    running--
    done.push(item)
  })
  assert.deepEqual(done.toSorted(), [1, 2, 3, 4, 5, 6, 7])
  assert.equal(most, 3)
})

test('after a failure nothing new starts, and it is thrown once the rest has finished', async () => {
  const begun: number[] = []
  let running = 0
  const work = forEachConcurrently([1, 2, 3, 4, 5, 6], 2, async (item) => {
    begun.push(item)
    running++
    await turn()
    running--
    if (item === 1) throw new Error('no')
  })
  await assert.rejects(work, /no/)
  assert.equal(running, 0)
  assert.ok(begun.length <= 3)
})

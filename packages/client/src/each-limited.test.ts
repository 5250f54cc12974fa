import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { eachLimited } from './each-limited.ts'

const { signal } = new AbortController()
const items = Array.from({ length: 20 }, (_, i) => i)

test('every item is worked on once, never more than the limit at a time', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await eachLimited(items, 4, signal, async (item) => {
    most = Math.max(most, ++running)
    await setImmediate()
    running--
    done.push(item)
  })
  assert.deepEqual(
    done.sort((a, b) => a - b),
    items,
  )
  assert.equal(most, 4)
})

test('the first failure stops the rest and is the one thrown', async () => {
  const begun: number[] = []
  const failing = eachLimited(items, 2, signal, async (item, stop) => {
    begun.push(item)
    await setImmediate()
    if (item === 3) throw new Error('third')
    stop.throwIfAborted()
  })
  await assert.rejects(failing, { message: 'third' })
  assert.ok(begun.length < 8, `${begun.length} begun`)
})

test('an aborted signal ends the work with its reason', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  await assert.rejects(
    eachLimited(items, 2, stop.signal, async () => stop.abort(reason)),
    reason,
  )
})

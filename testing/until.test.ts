import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './until.ts'

test('a condition is asked until it holds', async () => {
  let asked = 0
  await until(() => ++asked === 3, { everyMs: 1 })
  assert.equal(asked, 3)
  await until(async () => ++asked === 5, { everyMs: 1 })
  assert.equal(asked, 5)
})

test('a condition that never holds is named, and one that fails is not asked again', async () => {
  const never = () => 'a' === String('b')
  await assert.rejects(until(never, { everyMs: 1, atMostMs: 5 }), /^Error: Not true within 0\.005 s: .*'b'/)
  let asked = 0
  const failing = until(() => {
    asked++
    throw new Error('gone')
  })
  await assert.rejects(failing, /^Error: gone$/)
  assert.equal(asked, 1)
})

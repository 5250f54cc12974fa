import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meterFill } from './meter-fill.ts'

test('a meter warns from four fifths on and is full at the limit', () => {
  assert.deepEqual(meterFill(0, 300), { part: 0, state: 'enough' })
  assert.equal(meterFill(239, 300).state, 'enough')
  assert.equal(meterFill(240, 300).state, 'nearly')
  assert.equal(meterFill(299, 300).state, 'nearly')
  assert.deepEqual(meterFill(300, 300), { part: 1, state: 'full' })
})

test('a limit that was lowered below what is used is full, never more', () => {
  assert.deepEqual(meterFill(280, 60), { part: 1, state: 'full' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedFields } from './changed-fields.ts'

const stored = { name: 'Handbook', singlePage: true }

test('only what differs from what is stored is sent', () => {
  assert.deepEqual(changedFields({ name: 'Guide', singlePage: true }, stored), { name: 'Guide' })
  assert.deepEqual(changedFields({ singlePage: false }, stored), { singlePage: false })
})

test('what was set back, or never touched, is no change', () => {
  assert.deepEqual(changedFields({ name: 'Handbook' }, stored), {})
  assert.deepEqual(changedFields({}, stored), {})
})

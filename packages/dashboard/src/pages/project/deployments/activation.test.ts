import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activationOf } from './activation.ts'

const ready = (id: `dpl_${string}`, active = false) => ({ id, state: 'ready' as const, active })

test('an older one than what is served is rolled back to, a newer one is activated', () => {
  assert.equal(activationOf(ready('dpl_1'), { id: 'dpl_2' })?.words, 'Roll back to this')
  assert.equal(activationOf(ready('dpl_3'), { id: 'dpl_2' })?.words, 'Activate')
})

test('where nothing is served yet, everything that is ready can be activated', () => {
  assert.equal(activationOf(ready('dpl_1'), null)?.words, 'Activate')
})

test('what is served already, or not complete yet, offers nothing', () => {
  assert.equal(activationOf(ready('dpl_2', true), { id: 'dpl_2' }), null)
  assert.equal(activationOf({ ...ready('dpl_3'), state: 'uploading' }, { id: 'dpl_2' }), null)
})

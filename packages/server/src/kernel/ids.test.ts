import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idSchema } from '@masthead/contract/schemas/fields.ts'
import { bareId, createdAt, idAtTime, newId } from './ids.ts'

test('ids created in one millisecond are distinct and sort in the order of creation', () => {
  const now = Date.now()
  const ids = Array.from({ length: 2_000 }, () => newId('project', now))
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids.toSorted(), ids)
})

test('an id created later sorts later, even if the clock went back', () => {
  const now = Date.now() + 60_000
  const first = newId('deployment', now)
  assert.ok(newId('deployment', now + 1) > first)
  assert.ok(newId('deployment', now - 5_000) > first)
})

test('ids fit the contract and their bare form fits a host name', () => {
  const id = newId('deployment', Date.now())
  assert.equal(idSchema('deployment').parse(id), id)
  assert.match(bareId(id), /^[0-9a-z]{20}$/)
  assert.equal(idSchema('project').safeParse(id).success, false)
})

test('an id shows when it was created', () => {
  const now = Date.now() + 120_000
  assert.equal(createdAt(newId('deployment', now)), now)
  for (const other of ['', 'dpl_', 'dpl_short', 'dpl_uuuuuuuuuuuuuuuuuuuu'])
    assert.equal(createdAt(other), null)
})

test('a time is after the ids created before it, and before those created since', () => {
  const now = Date.now() + 180_000
  const [before, at] = [newId('event', now - 1), newId('event', now)]
  assert.ok(before < idAtTime('event', now))
  assert.ok(idAtTime('event', now) < at)
})

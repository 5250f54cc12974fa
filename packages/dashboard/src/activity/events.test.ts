import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byDay, kindNamed, projectKinds } from './events.ts'

test('a URL with no kind, or an unknown one, means all kinds', () => {
  assert.equal(kindNamed('domain'), 'domain')
  assert.equal(kindNamed(null), undefined)
  assert.equal(kindNamed('__proto__'), undefined)
})

test('a project has no key events', () => {
  assert.equal(kindNamed('key', projectKinds), undefined)
})

const now = new Date(2026, 2, 1, 0, 30)
const at = (...[year, month, day, hour = 12]: [number, number, number, number?]) => ({
  at: new Date(year, month, day, hour).toISOString(),
})
const words = (...items: { at: string }[]) => byDay(items, now).map((day) => day.words)

test('today and yesterday are named, even just after midnight', () => {
  assert.deepEqual(words(at(2026, 2, 1, 0), at(2026, 1, 28, 23)), ['Today', 'Yesterday'])
})

test('the year is shown only for days of another year', () => {
  assert.deepEqual(words(at(2026, 0, 9), at(2025, 11, 31)), [
    'Friday 9 January',
    'Wednesday 31 December 2025',
  ])
})

test('items of one day are grouped in order', () => {
  const items = [at(2026, 2, 1, 0), at(2026, 1, 27, 23), at(2026, 1, 27, 1)]
  assert.deepEqual(
    byDay(items, now).map((day) => day.items),
    [[items[0]], [items[1], items[2]]],
  )
})

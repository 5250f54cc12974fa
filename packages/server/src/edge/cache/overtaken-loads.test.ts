import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentChanges } from './overtaken-loads.ts'

test('changes since a mark are returned in order', () => {
  const recent = new RecentChanges<number>()
  recent.add(1)
  const mark = recent.mark
  assert.deepEqual(recent.since(mark), [])
  recent.add(2)
  recent.add(3)
  assert.deepEqual(recent.since(mark), [2, 3])
  assert.deepEqual(recent.since(recent.mark), [])
})

test('only the latest changes are kept, and a mark gets all changes since or null', () => {
  const recent = new RecentChanges<number>(10)
  const marks: number[] = []
  for (let n = 0; n < 1000; n++) {
    marks.push(recent.mark)
    recent.add(n)
    let known = 0
    for (const [at, mark] of marks.entries()) {
      const since = recent.since(mark)
      if (since === null) continue
      known++
      assert.deepEqual(
        since,
        Array.from({ length: n + 1 - at }, (_, k) => at + k),
      )
    }
    assert.ok(known <= 10 && known >= Math.min(n + 1, 5), `${known} after ${n}`)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameIndex, RecentChanges } from './invalidation.ts'

test('keys are found by their names and by themselves', () => {
  const index = new NameIndex()
  index.add('one--hello', ['hello', 'dpl_one'])
  index.add('two--hello', ['hello', 'dpl_two'])
  assert.deepEqual(index.keysOf('hello'), ['hello', 'one--hello', 'two--hello'])
  assert.deepEqual(index.keysOf('dpl_two'), ['dpl_two', 'two--hello'])
  assert.deepEqual(index.keysOf('other'), ['other'])
})

test('a name that no key has any more takes no room', () => {
  const index = new NameIndex()
  index.add('a', ['x', 'y'])
  index.add('b', ['y'])
  index.remove('a', ['x', 'y'])
  index.remove('a', ['x', 'y'])
  assert.deepEqual(index.keysOf('y'), ['y', 'b'])
  index.remove('b', ['y'])
  assert.equal(index.size, 0)
})

test('what came since a mark is told in order', () => {
  const recent = new RecentChanges<number>()
  recent.add(1)
  const mark = recent.mark
  assert.deepEqual(recent.since(mark), [])
  recent.add(2)
  recent.add(3)
  assert.deepEqual(recent.since(mark), [2, 3])
  assert.deepEqual(recent.since(recent.mark), [])
})

test('however many come, few are kept, and a mark is answered in full or not at all', () => {
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

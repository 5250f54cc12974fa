import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BoundedCache } from './bounded-cache.ts'

const keys = (cache: BoundedCache<number>) => [...cache.entries()].map(([key]) => key)

test('the oldest entry is evicted first', () => {
  const cache = new BoundedCache<number>(2)
  for (const key of ['a', 'b', 'c']) cache.set(key, 1, 1)
  assert.deepEqual(keys(cache), ['b', 'c'])
})

test('a used entry outlives an unused one', () => {
  const cache = new BoundedCache<number>(2)
  cache.set('a', 1, 1)
  cache.set('b', 1, 1)
  cache.get('a')
  cache.set('c', 1, 1)
  assert.deepEqual(keys(cache).toSorted(), ['a', 'c'])
})

test('if every entry was used, the oldest is still evicted', () => {
  const cache = new BoundedCache<number>(2)
  cache.set('a', 1, 1)
  cache.set('b', 1, 1)
  cache.get('a')
  cache.get('b')
  cache.set('c', 1, 1)
  assert.deepEqual(keys(cache), ['b', 'c'])
})

test('the newest entry is kept even if it exceeds the limit', () => {
  const cache = new BoundedCache<number>(10)
  cache.set('a', 1, 5)
  cache.set('b', 1, 100)
  assert.deepEqual(keys(cache), ['b'])
})

test('onRemove is called once for every entry that is replaced, evicted or deleted', () => {
  const removed: string[] = []
  const cache = new BoundedCache<string>(2, (key, value) => removed.push(key + value))
  cache.set('a', '1', 1)
  cache.set('a', '2', 1)
  cache.set('b', '1', 1)
  cache.set('c', '1', 1)
  cache.delete('b')
  cache.delete('b')
  assert.deepEqual(removed, ['a1', 'a2', 'b1'])
})

test('the weight is the sum over all entries, and bounded', () => {
  const step = fc.record({
    key: fc.constantFrom(...'abcdef'),
    weight: fc.integer({ min: 1, max: 5 }),
    use: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new BoundedCache<number>(10)
      for (const { key, weight, use } of steps) {
        if (use) cache.get(key)
        else cache.set(key, weight, weight)
        const held = [...cache.entries()].reduce((sum, [, value]) => sum + value, 0)
        assert.equal(cache.weight, held)
        assert.ok(held <= 10)
        if (!use) assert.equal(cache.get(key), weight)
      }
    }),
  )
})

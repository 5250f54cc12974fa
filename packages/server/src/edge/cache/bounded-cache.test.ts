import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BoundedCache } from './bounded-cache.ts'

const keys = (cache: BoundedCache<number>) => [...cache.entries()].map(([key]) => key)

test('the oldest goes first', () => {
  const cache = new BoundedCache<number>(2)
  for (const key of ['a', 'b', 'c']) cache.set(key, 1, 1)
  assert.deepEqual(keys(cache), ['b', 'c'])
})

test('what was used stays longer than what was not', () => {
  const cache = new BoundedCache<number>(2)
  cache.set('a', 1, 1)
  cache.set('b', 1, 1)
  cache.get('a')
  cache.set('c', 1, 1)
  assert.deepEqual(keys(cache).toSorted(), ['a', 'c'])
})

test('when everything was used, something goes all the same', () => {
  const cache = new BoundedCache<number>(2)
  cache.set('a', 1, 1)
  cache.set('b', 1, 1)
  cache.get('a')
  cache.get('b')
  cache.set('c', 1, 1)
  assert.deepEqual(keys(cache), ['b', 'c'])
})

test('the newest is kept even when it outweighs everything', () => {
  const cache = new BoundedCache<number>(10)
  cache.set('a', 1, 5)
  cache.set('b', 1, 100)
  assert.deepEqual(keys(cache), ['b'])
})

test('whatever is no longer held is told of, once', () => {
  const gone: string[] = []
  const cache = new BoundedCache<string>(2, (key, value) => gone.push(key + value))
  cache.set('a', '1', 1)
  cache.set('a', '2', 1)
  cache.set('b', '1', 1)
  cache.set('c', '1', 1)
  cache.delete('b')
  cache.delete('b')
  assert.deepEqual(gone, ['a1', 'a2', 'b1'])
})

test('the weight is that of what is held, and bounded', () => {
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

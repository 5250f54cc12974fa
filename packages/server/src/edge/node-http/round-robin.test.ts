import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RoundRobin } from './round-robin.ts'

describe('RoundRobin', () => {
  test('serves callers in turn, and each in order', () => {
    const queue = new RoundRobin<string>()
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.charAt(0), item)
    assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
    assert.ok(queue.isEmpty)
    assert.equal(queue.take(), undefined)
  })

  test('puts a caller that comes back at the end of the round', () => {
    const queue = new RoundRobin<string>()
    queue.add('a', 'a1')
    queue.add('b', 'b1')
    assert.equal(queue.take(), 'a1')
    queue.add('a', 'a2')
    assert.equal(queue.waitingOf('a'), 1)
    assert.deepEqual(takeAll(queue), ['b1', 'a2'])
    assert.equal(queue.waitingOf('a'), 0)
  })

  test('loses nothing and keeps the order while it forgets callers', () => {
    const queue = new RoundRobin<number>()
    const expected: number[] = []
    const taken: number[] = []
    for (let number = 0; number < 1_000; number++) {
      queue.add(`caller ${number}`, number)
      expected.push(number)
      if (number % 10 !== 0) taken.push(queue.take() ?? -1)
    }
    assert.deepEqual([...taken, ...takeAll(queue)], expected)
  })
})

function takeAll<Item>(queue: RoundRobin<Item>): (Item | undefined)[] {
  const taken: (Item | undefined)[] = []
  while (!queue.isEmpty) taken.push(queue.take())
  return taken
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

test('what fits overtakes the first, but not for ever', () => {
  const queue = new FairQueue()
  const waiting = ['large', ...Array.from({ length: 100 }, () => 'small')]
  const room = new Set(['small'])
  let overtaken = 0
  for (; queue.next(waiting, (item) => room.has(item)) > 0; overtaken++) waiting.splice(1, 1)
  assert.ok(overtaken > 0 && overtaken < 100, `${overtaken} times`)
  room.add('large')
  assert.equal(
    queue.next(waiting, (item) => room.has(item)),
    0,
  )
  waiting.shift()
  waiting.unshift('large')
  room.delete('large')
  assert.equal(
    queue.next(waiting, (item) => room.has(item)),
    1,
    'the next one may be overtaken as often',
  )
})

test('another first one may be overtaken as often', () => {
  const queue = new FairQueue()
  const overtake = (first: string) => queue.next([first, 'small'], (item) => item === 'small') === 1
  let count = 0
  while (overtake('large')) count++
  for (let again = 0; again < count; again++) assert.ok(overtake('other'))
  assert.ok(!overtake('other'))
})

test('nothing starts when nothing fits or waits', () => {
  const queue = new FairQueue()
  assert.equal(
    queue.next(['a', 'b'], () => false),
    -1,
  )
  assert.equal(
    queue.next([], () => true),
    -1,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlaces } from './places.ts'

test('who comes when all places are taken waits for one, first come first served', async () => {
  const places = createPlaces(1)
  const leave = await places.take(1000)
  const order: string[] = []
  const enter = async (name: string) => {
    const leaveAgain = await places.take(10_000)
    order.push(name)
    leaveAgain()
  }
  const waiting = [enter('first'), enter('second')]
  await new Promise(setImmediate)
  assert.deepEqual(order, [])
  leave()
  await Promise.all(waiting)
  assert.deepEqual(order, ['first', 'second'])
})

test('who waits and is called off goes away at once, and the place goes to the next', async () => {
  const places = createPlaces(1)
  const leave = await places.take(1000)
  const off = new AbortController()
  const waiting = places.take(10_000, off.signal)
  const next = places.take(10_000)
  off.abort(new Error('enough'))
  leave()
  await assert.rejects(waiting, { message: 'enough' })
  await next
  await assert.rejects(places.take(10_000, off.signal), { message: 'enough' })
})

test('who has waited too long goes away, and the place goes to the next', async () => {
  const places = createPlaces(1)
  const leave = await places.take(1000)
  await assert.rejects(places.take(5), { name: 'DnsFault', kind: 'timeout' })
  const next = places.take(10_000)
  leave()
  await next
})

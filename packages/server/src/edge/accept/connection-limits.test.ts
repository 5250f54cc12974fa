import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionSlots } from './connection-limits.ts'

function fill(slots: ConnectionSlots<string>, caller: string | null): string[] {
  const held: string[] = []
  for (let n = 0; slots.tryAcquire(`${caller} ${n}`, caller); n++) held.push(`${caller} ${n}`)
  return held
}

test('releasing a connection twice frees one slot', () => {
  const slots = new ConnectionSlots<string>(100)
  const held = fill(slots, 'a')
  assert.deepEqual([held.length, slots.size], [20, 20])
  for (let n = 0; n < 3; n++) slots.release('a 7')
  assert.equal(slots.tryAcquire('again', 'a'), true)
  assert.equal(slots.tryAcquire('once more', 'a'), false)
})

test('the connection that was idle longest is evicted first, own ones before those of others', () => {
  const slots = new ConnectionSlots<string>(100)
  for (const caller of ['a', 'b', null]) fill(slots, caller)
  for (const connection of ['b 3', 'a 5', 'a 2', 'b 1', 'a 5']) slots.markIdle(connection)
  slots.markBusy('b 1')
  assert.equal(slots.evictIdle('a'), 'a 5')
  slots.tryAcquire('new', 'c')
  assert.equal(slots.evictIdle('d'), 'b 3')
  slots.tryAcquire('newer', 'd')
  assert.equal(slots.evictIdle('a'), 'a 2')
  assert.equal(slots.evictIdle('a'), undefined)
  assert.equal(slots.size, 99)
})

test('a caller over its share evicts nobody else while slots are free', () => {
  const slots = new ConnectionSlots<string>(1000)
  for (let n = 0; n < 100; n++) {
    slots.tryAcquire(`idle ${n}`, `caller ${n}`)
    slots.markIdle(`idle ${n}`)
  }
  fill(slots, 'greedy')
  assert.equal(slots.evictIdle('greedy'), undefined)
  assert.equal(slots.size, 280)
  slots.markIdle('greedy 4')
  assert.equal(slots.evictIdle('greedy'), 'greedy 4')
})

test('a proxy may use every slot, and its idle connections are evicted like others', () => {
  const slots = new ConnectionSlots<string>(50)
  assert.equal(fill(slots, null).length, 50)
  slots.markIdle('null 4')
  assert.equal(slots.evictIdle('a'), 'null 4')
  assert.equal(slots.tryAcquire('first', 'a'), true)
  assert.deepEqual([...slots.all()].at(-1), 'first')
})

test('nothing is kept of released connections', () => {
  const slots = new ConnectionSlots<string>(50)
  for (let n = 0; n < 100; n++) {
    slots.tryAcquire(`c${n}`, `caller ${n}`)
    slots.markIdle(`c${n}`)
    slots.release(`c${n}`)
    slots.markIdle(`c${n}`)
    slots.markBusy(`c${n}`)
  }
  assert.equal(slots.size, 0)
  assert.equal(slots.evictIdle('caller 1'), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionSlots } from './connection-limits.ts'

function fill(places: ConnectionSlots<string>, caller: string | null): string[] {
  const held: string[] = []
  for (let n = 0; places.enter(`${caller} ${n}`, caller); n++) held.push(`${caller} ${n}`)
  return held
}

test('a connection that leaves makes room, once however often it is told', () => {
  const places = new ConnectionSlots<string>(100)
  const held = fill(places, 'a')
  assert.deepEqual([held.length, places.size], [20, 20])
  for (let n = 0; n < 3; n++) places.leave('a 7')
  assert.equal(places.enter('again', 'a'), true)
  assert.equal(places.enter('once more', 'a'), false)
})

test('who is idle for longest gives way first, and a caller to its own', () => {
  const places = new ConnectionSlots<string>(100)
  for (const caller of ['a', 'b', null]) fill(places, caller)
  for (const connection of ['b 3', 'a 5', 'a 2', 'b 1', 'a 5']) places.isIdle(connection)
  places.isBusy('b 1')
  assert.equal(places.takeIdle('a'), 'a 5')
  places.enter('new', 'c')
  assert.equal(places.takeIdle('d'), 'b 3')
  places.enter('newer', 'd')
  assert.equal(places.takeIdle('a'), 'a 2')
  assert.equal(places.takeIdle('a'), undefined)
  assert.equal(places.size, 99)
})

test('who is beyond its share takes nothing from others while places are free', () => {
  const places = new ConnectionSlots<string>(1000)
  for (let n = 0; n < 100; n++) {
    places.enter(`idle ${n}`, `caller ${n}`)
    places.isIdle(`idle ${n}`)
  }
  fill(places, 'greedy')
  assert.equal(places.takeIdle('greedy'), undefined)
  assert.equal(places.size, 280)
  places.isIdle('greedy 4')
  assert.equal(places.takeIdle('greedy'), 'greedy 4')
})

test('who stands for many has no share, and gives way like all others', () => {
  const places = new ConnectionSlots<string>(50)
  assert.equal(fill(places, null).length, 50)
  places.isIdle('null 4')
  assert.equal(places.takeIdle('a'), 'null 4')
  assert.equal(places.enter('first', 'a'), true)
  assert.deepEqual([...places.all()].at(-1), 'first')
})

test('nothing is kept of what has left', () => {
  const places = new ConnectionSlots<string>(50)
  for (let n = 0; n < 100; n++) {
    places.enter(`c${n}`, `caller ${n}`)
    places.isIdle(`c${n}`)
    places.leave(`c${n}`)
    places.isIdle(`c${n}`)
    places.isBusy(`c${n}`)
  }
  assert.equal(places.size, 0)
  assert.equal(places.takeIdle('caller 1'), undefined)
})

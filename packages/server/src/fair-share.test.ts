import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairShare } from './fair-share.ts'

function takeAll(places: FairShare, caller: string | null): number {
  let taken = 0
  while (places.enter(caller)) taken++
  return taken
}

test('one caller alone has a fifth of the places, and the next one a fifth of the rest', () => {
  const places = new FairShare(1000)
  assert.equal(takeAll(places, 'a'), 200)
  assert.equal(takeAll(places, 'b'), 160)
  assert.equal(places.taken, 360)
  for (let n = 0; n < 100; n++) places.leave('a')
  assert.equal(takeAll(places, 'b'), 20)
})

test('two dozen who take all they can leave room for the next', () => {
  const places = new FairShare(1000)
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 24; n++) takeAll(places, `greedy ${n}`)
  }
  assert.equal(places.enter('the next'), true)
})

test('who stands for many has everything that is free, and nothing more', () => {
  const places = new FairShare(10)
  assert.equal(takeAll(places, null), 10)
  assert.equal(places.enter('a'), false)
  places.leave(null)
  assert.equal(places.enter('a'), true)
})

test('what is given back can be taken again', () => {
  const places = new FairShare(4)
  for (let n = 0; n < 5; n++) {
    assert.equal(places.enter('a'), true)
    assert.equal(places.enter('a'), false)
    places.leave('a')
  }
  assert.equal(places.taken, 0)
})

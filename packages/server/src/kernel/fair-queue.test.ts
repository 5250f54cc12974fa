import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FairQueue, FairShare, QueueFullError } from './fair-queue.ts'

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

/** Work that ends when it is told to; `begun` names whose, in order. */
function openTurns(places: number, mostWaiting?: number) {
  const turns = new FairQueue({ places, ...(mostWaiting !== undefined && { mostWaiting }) })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (caller: string) =>
    turns.take(caller, () => {
      begun.push(caller)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endOne = async () => {
    ends.shift()?.()
    await setImmediate()
  }
  return { ask, begun, endOne }
}

test('everything that one caller wants is done, in its turn', async () => {
  const { ask, begun, endOne } = openTurns(20)
  const asked = Array.from({ length: 100 }, () => ask('a'))
  assert.ok(begun.length < 20, `${begun.length} at once`)
  for (let n = 0; n < 100; n++) await endOne()
  await Promise.all(asked)
  assert.equal(begun.length, 100)
})

test('who wants one thing does not wait for all that others want', async () => {
  const { ask, begun, endOne } = openTurns(4)
  const greedy = ['a', 'b', 'c', 'd']
  for (const caller of greedy) for (let n = 0; n < 50; n++) void ask(caller)
  void ask('modest')
  for (let n = 0; n < 10 && !begun.includes('modest'); n++) await endOne()
  assert.ok(begun.includes('modest'))
})

test('work that fails gives its turn on', async () => {
  const turns = new FairQueue({ places: 4 })
  const failing = () => Promise.reject(new Error('in vain'))
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => turns.take('a', failing)))
  assert.ok(all.every(({ status }) => status === 'rejected'))
  assert.equal(await turns.take('a', async () => 'done'), 'done')
})

test('beyond what may wait there is no turn, and room again when some have had theirs', async () => {
  const { ask, endOne } = openTurns(4, 10)
  const asked = [ask('a'), ask('a'), ask('a')]
  await assert.rejects(ask('a'), QueueFullError)
  await endOne()
  asked.push(ask('a'))
  for (let n = 0; n < 4; n++) await endOne()
  await Promise.all(asked)
})

test('one caller fills only its share of what may wait', async () => {
  const { ask, begun, endOne } = openTurns(4, 2000)
  const asked = Array.from({ length: 2500 }, () => ask('greedy').catch((error: unknown) => error))
  void ask('modest')
  void ask('modest')
  for (let n = 0; n < 10; n++) await endOne()
  assert.equal(begun.filter((caller) => caller === 'modest').length, 2)
  const refused = (await Promise.all(asked.slice(-2000))).filter((error) => error instanceof QueueFullError)
  assert.equal(refused.length, 2000)
})

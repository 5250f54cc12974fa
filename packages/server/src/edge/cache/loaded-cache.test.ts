import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Invalidation, LoadedCache } from './loaded-cache.ts'

class Words extends LoadedCache<string, string> {
  override outdate(change: Invalidation): void {
    super.outdate(change)
  }
}

const changed: Invalidation = { names: ['a'], mayCreate: false, forget: false }
const forbidden: Invalidation = { ...changed, forget: true }
const patienceMs = 20

/** Words whose loads end when the test says, or never. */
function heldWords() {
  const world = { now: 0, outdated: 0 }
  const loads: PromiseWithResolvers<string | null>[] = []
  const words = new Words({
    load: () => {
      const held = Promise.withResolvers<string | null>()
      loads.push(held)
      return held.promise
    },
    onOutdated: () => world.outdated++,
    patienceMs,
    now: () => world.now,
    keyOf: (word) => word,
    namesOf: () => [],
    weightOf: () => 1,
    maxWeight: 10,
    maxAbsent: 10,
  })
  async function warm(): Promise<void> {
    const loaded = words.load('a')
    loads.at(-1)?.resolve('old')
    await loaded
  }
  return { words, world, loads, warm }
}

test('what is not loaded in time is used as it was, and nobody waits for the attempts after that', async () => {
  const { words, world, loads, warm } = heldWords()
  await warm()
  words.outdate(changed)
  assert.equal(await words.load('a'), 'old')
  assert.equal(words.get('a'), 'old')
  world.now = 1000
  assert.equal(words.get('a'), undefined)
  const [second, third] = [words.load('a'), words.load('a')]
  assert.equal(world.outdated, 1)
  assert.deepEqual(await Promise.all([second, third]), ['old', 'old'])
  assert.equal(world.outdated, 1)
  assert.equal(loads.length, 3)
  loads[2]?.resolve('new')
  await sleep(0)
  assert.equal(words.get('a'), 'new')
})

test('what was never loaded is given up in time, and what comes late is there for the next who asks', async () => {
  for (const late of ['new', null]) {
    const { words, loads } = heldWords()
    await assert.rejects(words.load('a'), /no answer within 20 ms/)
    assert.equal(words.get('a'), undefined)
    loads[0]?.resolve(late)
    await sleep(0)
    assert.equal(words.get('a'), late)
  }
})

test('what comes late is not kept when it has changed meanwhile, nor when something newer is there', async () => {
  const { words, loads } = heldWords()
  await assert.rejects(words.load('a'))
  words.outdate(changed)
  loads[0]?.resolve('old')
  await sleep(0)
  assert.equal(words.get('a'), undefined)

  await assert.rejects(words.load('a'))
  const next = words.load('a')
  loads[2]?.resolve('newest')
  await next
  loads[1]?.resolve('newer')
  await sleep(0)
  assert.equal(words.get('a'), 'newest')
})

test('what must not be used again is not, however long it takes to load', async () => {
  const { words, world, loads, warm } = heldWords()
  await warm()
  words.outdate(forbidden)
  await assert.rejects(words.load('a'))
  assert.equal(words.get('a'), undefined)

  loads[1]?.resolve('old')
  await sleep(0)
  words.outdate(changed)
  assert.equal(await words.load('a'), 'old')
  world.now = 1000
  const unanswered = words.load('a')
  words.outdate(forbidden)
  await unanswered
  // The attempt that nobody waits for fails, and is no concern of anybody.
  await sleep(2 * patienceMs)
  await assert.rejects(words.load('a'))
  for (const load of loads.slice(0, -1)) load.resolve('old')
  await sleep(0)
  assert.equal(words.get('a'), undefined)
})

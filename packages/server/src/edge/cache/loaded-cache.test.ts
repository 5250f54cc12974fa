import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Invalidation } from './invalidation.ts'
import { LoadedCache } from './loaded-cache.ts'

class Words extends LoadedCache<string, string> {
  override invalidate(change: Invalidation): void {
    super.invalidate(change)
  }
}

const changed: Invalidation = { names: ['a'], mayCreate: false, forget: false }
const forbidden: Invalidation = { ...changed, forget: true }
const timeoutMs = 20

/** A cache whose loads end when the test resolves them. */
function heldWords() {
  const world = { now: 0, stale: 0 }
  const loads: PromiseWithResolvers<string | null>[] = []
  const words = new Words({
    load: () => {
      const held = Promise.withResolvers<string | null>()
      loads.push(held)
      return held.promise
    },
    onStale: () => world.stale++,
    timeoutMs,
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

test('after a load timed out the stale value is used, and nobody waits for later attempts', async () => {
  const { words, world, loads, warm } = heldWords()
  await warm()
  words.invalidate(changed)
  assert.equal(await words.load('a'), 'old')
  assert.equal(words.get('a'), 'old')
  world.now = 1000
  assert.equal(words.get('a'), undefined)
  const [second, third] = [words.load('a'), words.load('a')]
  assert.equal(world.stale, 1)
  assert.deepEqual(await Promise.all([second, third]), ['old', 'old'])
  assert.equal(world.stale, 1)
  assert.equal(loads.length, 3)
  loads[2]?.resolve('new')
  await sleep(0)
  assert.equal(words.get('a'), 'new')
})

test('a stale value is reloaded in time although the clock was set back', async () => {
  const { words, world, warm } = heldWords()
  world.now = 3_600_000
  await warm()
  words.invalidate(changed)
  assert.equal(await words.load('a'), 'old')
  assert.equal(words.get('a'), 'old')
  world.now = 0
  assert.equal(words.get('a'), undefined)
})

test('a first load that times out rejects, and its late result is there for the next caller', async () => {
  for (const late of ['new', null]) {
    const { words, loads } = heldWords()
    await assert.rejects(words.load('a'), /no answer within 20 ms/)
    assert.equal(words.get('a'), undefined)
    loads[0]?.resolve(late)
    await sleep(0)
    assert.equal(words.get('a'), late)
  }
})

test('a late result is dropped if a change overtook it or something newer was loaded', async () => {
  const { words, loads } = heldWords()
  await assert.rejects(words.load('a'))
  words.invalidate(changed)
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

test('a forgotten value is never used again, however long loading takes', async () => {
  const { words, world, loads, warm } = heldWords()
  await warm()
  words.invalidate(forbidden)
  await assert.rejects(words.load('a'))
  assert.equal(words.get('a'), undefined)

  loads[1]?.resolve('old')
  await sleep(0)
  words.invalidate(changed)
  assert.equal(await words.load('a'), 'old')
  world.now = 1000
  const unanswered = words.load('a')
  words.invalidate(forbidden)
  await unanswered
  // The attempt that nobody waits for fails without an unhandled rejection.
  await sleep(2 * timeoutMs)
  await assert.rejects(words.load('a'))
  for (const load of loads.slice(0, -1)) load.resolve('old')
  await sleep(0)
  assert.equal(words.get('a'), undefined)
})

test('what was absent and is taken away is asked for again, and stays absent if that fails', async () => {
  const { words, loads } = heldWords()
  const first = words.load('a')
  loads.at(-1)?.resolve(null)
  await first
  words.invalidate(forbidden)
  assert.equal(words.get('a'), undefined)
  const failing = words.load('a')
  loads.at(-1)?.reject(new Error('no database'))
  assert.equal(await failing, null)
  const covered = words.load('a')
  loads.at(-1)?.resolve('by a wildcard')
  assert.equal(await covered, 'by a wildcard')

  const { words: others, loads: otherLoads } = heldWords()
  const second = others.load('a')
  otherLoads.at(-1)?.resolve(null)
  await second
  others.invalidate({ ...changed, mayCreate: true })
  const unknown = others.load('a')
  otherLoads.at(-1)?.reject(new Error('no database'))
  await assert.rejects(unknown, /no database/)
})

test('what is found absent while it is taken away a second time stays absent if it cannot be loaded', async () => {
  const everything: Invalidation = { names: null, mayCreate: true, forget: true }
  const cases = [
    { during: [forbidden], staysAbsent: true },
    { during: [forbidden, forbidden], staysAbsent: true },
    { during: [changed], staysAbsent: false },
    { during: [changed, forbidden], staysAbsent: false },
    { during: [forbidden, changed], staysAbsent: false },
    { during: [everything], staysAbsent: false },
  ]
  for (const { during, staysAbsent } of cases) {
    const { words, loads, warm } = heldWords()
    await warm()
    words.invalidate(forbidden)
    const loading = words.load('a')
    for (const change of during) words.invalidate(change)
    loads.at(-1)?.resolve(null)
    assert.equal(await loading, null)
    assert.equal(words.get('a'), undefined, 'asked for again')
    const failing = words.load('a')
    loads.at(-1)?.reject(new Error('no database'))
    if (staysAbsent) assert.equal(await failing, null)
    else await assert.rejects(failing, /no database/)
  }
})

test('an absence that a change overtook does not replace what was loaded after the change', async () => {
  for (const newer of ['new', null]) {
    const { words, loads, warm } = heldWords()
    await warm()
    words.invalidate(forbidden)
    const older = words.load('a')
    words.invalidate(forbidden)
    const later = words.load('a')
    loads[2]?.resolve(newer)
    assert.equal(await later, newer)
    loads[1]?.resolve(null)
    assert.equal(await older, null)
    assert.equal(words.get('a'), newer)
  }
})

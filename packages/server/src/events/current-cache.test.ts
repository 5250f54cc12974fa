import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { until } from '@masthead/testing/until.ts'
import { migratedPostgres, onEachDatabase } from '../database/each-database.test-kit.ts'
import { type FeedOfOne, joinFeed } from './change-feed.test-kit.ts'
import { CurrentCache, type CurrentCacheOptions, maxStaleness } from './current-cache.ts'
import { noteChange } from './noted-changes.ts'

interface Counted {
  n: number
  subjects: string[] | null
}

/** Each load finds the next number. */
function countingCache({ feed }: FeedOfOne, options: Partial<CurrentCacheOptions<Counted>> = {}) {
  let loads = 0
  const cache = new CurrentCache<Counted>(feed, {
    kind: 'access',
    maxWeight: 10,
    subjectsOf: ({ subjects }) => subjects,
    ...options,
  })
  const read = async (key: string, subjects: string[] | null = [key]) =>
    (await cache.get(key, async () => ({ n: ++loads, subjects })))?.n
  return { cache, read }
}

function change({ database }: FeedOfOne, ...ids: (`acc_${string}` | `usr_${string}`)[]): Promise<void> {
  return database.write(async (tx) => {
    for (const id of ids) noteChange(tx, 'access', id)
  })
}

onEachDatabase('a cache that follows the change feed', ({ location }) => {
  test('loads once, and again on the first use after a change of an account or person it depends on', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const { read } = countingCache(one)
    assert.deepEqual(
      [await read('acc_1'), await read('acc_1'), await read('acc_2', ['acc_2', 'usr_1'])],
      [1, 1, 2],
    )
    await change(one, 'acc_1')
    assert.deepEqual([await read('acc_1'), await read('acc_2')], [3, 2])
    await change(one, 'usr_1', 'acc_9')
    assert.deepEqual([await read('acc_1'), await read('acc_2')], [3, 4])
  })

  test('hears of the changes of other processes', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    await using other = await joinFeed(where)
    const { read } = countingCache(one)
    assert.equal(await read('acc_1'), 1)
    await change(other, 'acc_1')
    await until(async () => (await read('acc_1')) === 2)
  })

  test('does not keep what was loaded before a change that came during the load', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const { cache, read } = countingCache(one)
    const late = Promise.withResolvers<{ n: number; subjects: string[] }>()
    const reading = cache.get('acc_1', () => late.promise)
    await change(one, 'acc_1')
    late.resolve({ n: -1, subjects: ['acc_1'] })
    assert.equal((await reading)?.n, -1)
    assert.equal(await read('acc_1'), 1)
  })

  test('keeps what was loaded while something else changed', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const { cache, read } = countingCache(one)
    const late = Promise.withResolvers<{ n: number; subjects: string[] }>()
    const reading = cache.get('acc_1', () => late.promise)
    await change(one, 'acc_2')
    await one.database.write(async (tx) => noteChange(tx, 'account', 'acc_1'))
    late.resolve({ n: -1, subjects: ['acc_1'] })
    await reading
    assert.equal(await read('acc_1'), -1)
  })

  test('does not keep what was loaded while more changed than it remembers', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const { cache, read } = countingCache(one)
    const loaded = [1, 2].map(() => Promise.withResolvers<Counted>())
    const reading = loaded.map(({ promise }, n) => cache.get(`acc_${n}`, () => promise))
    const others = (count: number) => Array.from({ length: count }, (_, n) => `acc_other${n}` as const)
    await change(one, ...others(400))
    loaded[0]?.resolve({ n: -1, subjects: ['acc_0'] })
    await reading[0]
    await change(one, ...others(1_001))
    loaded[1]?.resolve({ n: -2, subjects: ['acc_1'] })
    await reading[1]
    assert.deepEqual([await read('acc_0'), await read('acc_1')], [-1, 1])
  })

  test('does not keep what was loaded while changes may have been missed', async () => {
    await using where = await location()
    await using one = await joinFeed(where, { isTold: false })
    await using other = await joinFeed(where, { isTold: false })
    await change(other, 'acc_7')
    await one.feed.catchUp()
    const { cache, read } = countingCache(one)
    const late = Promise.withResolvers<{ n: number; subjects: string[] }>()
    const reading = cache.get('acc_1', () => late.promise)
    await other.restoreTo(0)
    await one.feed.catchUp()
    late.resolve({ n: -1, subjects: ['acc_1'] })
    await reading
    assert.equal(await read('acc_1'), 1)
  })

  test('may follow the changes that members see instead of those of access', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const { read } = countingCache(one, { kind: 'account' })
    assert.equal(await read('acc_1'), 1)
    await change(one, 'acc_1')
    assert.equal(await read('acc_1'), 1)
    await one.database.write(async (tx) => noteChange(tx, 'account', 'acc_1'))
    assert.equal(await read('acc_1'), 2)
  })

  test('holds a limited number of bytes, and nothing that is larger', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const sizes = new Map([
      ['acc_1', 40],
      ['acc_2', 40],
      ['acc_3', 40],
      ['acc_4', 101],
    ])
    const weightOf = ({ subjects }: Counted) => sizes.get(subjects?.[0] ?? '') ?? 0
    const { cache, read } = countingCache(one, { maxWeight: 100, weightOf })
    for (const id of ['acc_1', 'acc_2', 'acc_3', 'acc_4']) await read(id)
    assert.equal(cache.size, 2)
    assert.deepEqual([await read('acc_2'), await read('acc_3'), await read('acc_1')], [2, 3, 5])
    await change(one, 'acc_1', 'acc_3')
    assert.equal(cache.size, 0)
    // The bytes of what was forgotten are free again.
    for (const id of ['acc_1', 'acc_2', 'acc_1', 'acc_2']) await read(id)
    assert.equal(cache.size, 2)
  })

  test('keeps neither absence nor failures, nor what must not be kept', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const { cache, read } = countingCache(one)
    assert.equal(await cache.get('acc_1', async () => null), null)
    await assert.rejects(
      cache.get('acc_1', () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.deepEqual([await read('acc_1', null), await read('acc_1', null)], [1, 2])
    assert.equal(cache.size, 0)
  })

  test('holds a limited number, and the least recently used goes first', async () => {
    await using where = await location()
    await using one = await joinFeed(where)
    const { cache, read } = countingCache(one, { maxWeight: 2 })
    for (const id of ['acc_1', 'acc_2', 'acc_1', 'acc_3']) await read(id)
    assert.equal(cache.size, 2)
    assert.deepEqual([await read('acc_1'), await read('acc_3'), await read('acc_2')], [1, 3, 4])
  })

  test('forgets everything when changes may have been missed', async () => {
    await using where = await location()
    await using one = await joinFeed(where, { isTold: false })
    await using other = await joinFeed(where, { isTold: false })
    const { read } = countingCache(one)
    await change(other, 'acc_7')
    await one.feed.catchUp()
    assert.equal(await read('acc_1'), 1)
    await other.restoreTo(0)
    await one.feed.catchUp()
    assert.equal(await read('acc_1'), 2)
  })

  test('is not trusted once the feed has not been read for longer than the bound', async () => {
    await using where = await location()
    await using one = await joinFeed(where, { isTold: false })
    const { read } = countingCache(one)
    assert.equal(await read('acc_1'), 1)
    one.clock.at += maxStaleness + 1
    assert.deepEqual([await read('acc_1'), await read('acc_1')], [2, 3])
    await one.feed.catchUp()
    assert.equal(await read('acc_1'), 3)
    // A clock that was set back says nothing about how old it is.
    one.clock.at -= 10 * maxStaleness
    await one.feed.catchUp()
    assert.equal(await read('acc_1'), 3)
  })
})

test('a severed link to PostgreSQL ends the trust in what is cached until it is mended', {
  skip: skipWithout('postgresql'),
}, async () => {
  await using postgres = await migratedPostgres()
  await using link = await startSeverableLink(postgres.url)
  await using one = await joinFeed({ dialect: 'postgres', url: link.url })
  await using other = await joinFeed({ dialect: 'postgres', url: postgres.url })
  const { read } = countingCache(one)
  await read('acc_1')
  await link.sever()
  await change(other, 'acc_1')
  // In real time: by then the polls have failed for longer than the bound.
  await until(() => !one.feed.isCurrent(maxStaleness))
  assert.deepEqual([await read('acc_1'), await read('acc_1')], [2, 3])
  await link.mend()
  await until(() => one.feed.isCurrent(maxStaleness))
  assert.equal(await read('acc_1'), 4)
  assert.equal(await read('acc_1'), 4)
})

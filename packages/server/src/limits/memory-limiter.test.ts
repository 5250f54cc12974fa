import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, openDatabase } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { day, minute } from '../kernel/clock.ts'
import { Journal } from './journal.ts'
import { limiterContract } from './limiter.test-kit.ts'
import { createMemoryLimiter, type MemoryLimiter } from './memory-limiter.ts'

const silent = { warn: () => {} }
const limits = { perMinute: 60, perDay: 1_000 }
const request = { accountId: 'acc_a', keyId: 'key_1', limits }

async function startOn(database: Database, clock: { at: number }) {
  const now = () => clock.at
  const journal = new Journal({ database, now }, silent)
  return { journal, limiter: await createMemoryLimiter({ journal, now }) }
}

limiterContract('in memory', false, async (at) => {
  const clock = { at }
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  const { limiter, journal } = await startOn(database, clock)
  return {
    limiter,
    journal,
    now: () => clock.at,
    async move(milliseconds) {
      clock.at += milliseconds
    },
    async [Symbol.asyncDispose]() {
      await limiter.close()
      await database.close()
    },
  }
})

test('rejections of keys, addresses and people are spread over the jitter', async () => {
  const now = () => 30_000 * day
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  for (const [name, check] of [
    ['a key', (limiter: MemoryLimiter) => limiter.check(request)],
    ['an address', (limiter: MemoryLimiter) => limiter.checkAddress('192.0.2.1')],
    ['a person', (limiter: MemoryLimiter) => limiter.checkPerson({ personId: 'per_ada', account: null })],
  ] as const) {
    let draws = 0
    const journal = new Journal({ database, now }, silent)
    const limiter = await createMemoryLimiter({ journal, now, random: () => (draws++ % 4) / 4 })
    const verdicts = Array.from({ length: 1_000 }, () => check(limiter))
    const [, ...later] = verdicts.filter(({ admitted, ban }) => !admitted && ban === null)
    const waits = new Set(later.slice(0, 8).map(({ retryAfterSeconds }) => retryAfterSeconds))
    assert.deepEqual([...waits].sort(), [60, 61, 62, 63], name)
    await limiter.close()
  }
  await database.close()
})

onEachDatabase('limits in memory', ({ open }) => {
  test('a clean restart keeps day counts, history, bans and their steps exactly', async () => {
    await using database = await open()
    const clock = { at: 30_000 * day }
    const first = await startOn(database, clock)
    while (!first.limiter.check(request).banStarted) clock.at += 20
    const before = await first.limiter.usage('acc_a', limits)
    const bans = await first.limiter.bans('acc_a', ['key_1'])
    await first.limiter.close()

    const { limiter } = await startOn(database, clock)
    const usage = await limiter.usage('acc_a', limits)
    assert.deepEqual(usage.day, before.day)
    assert.equal(usage.day?.used, 60)
    assert.deepEqual(usage.history, before.history)
    assert.deepEqual(await limiter.bans('acc_a', ['key_1']), bans)
    assert.equal(bans.size, 1)
    clock.at += 5 * minute
    while (!limiter.check(request).banStarted) clock.at += 20
    assert.equal(limiter.check(request).ban?.step, 2)
    await limiter.close()
  })

  test("after a restart, yesterday's requests do not count today", async () => {
    await using database = await open()
    const clock = { at: 30_000 * day }
    const first = await startOn(database, clock)
    first.limiter.check(request)
    await first.limiter.close()
    clock.at += day
    const { limiter } = await startOn(database, clock)
    const { day: today, history } = await limiter.usage('acc_a', limits)
    assert.equal(today?.used, 0)
    assert.deepEqual(
      history.days.slice(-2).map(({ requests }) => requests),
      [1, 0],
    )
    await limiter.close()
  })

  test('what a process counted and banned while it was replaced is known afterwards', async () => {
    await using database = await open()
    const clock = { at: 30_000 * day }
    const replaced = await startOn(database, clock)
    for (let n = 0; n < 5; n++) replaced.limiter.check(request)
    await replaced.limiter.flush()
    const { limiter } = await startOn(database, clock)
    for (let n = 0; n < 6; n++) limiter.check(request)
    assert.equal(limiter.check(request).day?.used, 12)
    while (!replaced.limiter.check(request).banStarted) clock.at += 20
    await replaced.limiter.close()
    await limiter.reload()
    await limiter.reload()
    assert.equal((await limiter.usage('acc_a', limits)).day?.used, 67)
    assert.equal((await limiter.bans('acc_a', ['key_1'])).size, 1)
    assert.equal(limiter.check(request).admitted, false)
    await limiter.close()
  })

  test('a lifted ban stays lifted, even if the process is killed right after', async () => {
    await using database = await open()
    const clock = { at: 30_000 * day }
    const first = await startOn(database, clock)
    while (!first.limiter.check(request).banStarted) clock.at += 20
    await first.journal.flush()
    await first.limiter.liftBan('acc_a', 'key_1')
    const { limiter } = await startOn(database, clock)
    assert.equal((await limiter.bans('acc_a', ['key_1'])).size, 0)
    await limiter.close()
    await first.limiter.close()
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type RunningRedis, startRedis } from '@masthead/testing/peers/redis.ts'
import { type Database, openDatabase } from '../../database/database.ts'
import { second, systemClock } from '../../kernel/clock.ts'
import { Journal } from '../journal.ts'
import { banRule } from '../policy.ts'
import { RedisConnection } from './redis-connection.ts'
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts'

const silent = { info: () => {}, warn: () => {} }
const limits = { perMinute: 5, perDay: 1_000 }

describe('known rejections', { skip: skipWithout('redis') }, () => {
  let server: RunningRedis
  let database: Database
  /** How far the nodes' clocks are ahead of Redis's. This decides how long a node trusts a known rejection. */
  let ahead = 0
  const now = () => systemClock() + ahead

  before(async () => {
    server = await startRedis()
    database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  })
  after(async () => {
    await server.stop()
    await database.close()
  })

  async function node(): Promise<RedisLimiter & AsyncDisposable> {
    const connection = await RedisConnection.open({ url: server.url, log: silent, timeout: 10_000 })
    const limiter = createRedisLimiter({ connection, journal: new Journal({ database, now }, silent), now })
    return { ...limiter, [Symbol.asyncDispose]: () => limiter.close() }
  }

  test('a known rejection costs Redis nothing for a second, then one call', async () => {
    await using limiter = await node()
    const request = { accountId: 'acc_a', keyId: 'key_a', limits }
    for (let sent = 0; sent < 1_000; sent++) {
      assert.equal((await limiter.check(request)).admitted, sent < limits.perMinute)
    }
    const few = limiter.decisions.asked
    assert.ok(few < 50, `${few} questions`)
    assert.equal(limiter.decisions.known, 1_000 - few)
    ahead += second
    await limiter.check(request)
    assert.equal(limiter.decisions.asked, few + 1)
  })

  test('a node whose clock is set back asks Redis in time', async () => {
    await using limiter = await node()
    const fewPerDay = { perMinute: 60, perDay: 5 }
    const request = { accountId: 'acc_set_back', keyId: 'key_set_back', limits: fewPerDay }
    for (let sent = 0; sent < 10; sent++) await limiter.check(request)
    const { asked } = limiter.decisions
    ahead -= 10 * second
    await limiter.check(request)
    assert.equal(limiter.decisions.asked, asked + 1)
  })

  test('a larger plan takes effect immediately', async () => {
    await using limiter = await node()
    const request = { accountId: 'acc_b', keyId: 'key_b', limits }
    for (let sent = 0; sent < 10; sent++) await limiter.check(request)
    const upgraded = await limiter.check({ ...request, limits: { perMinute: 6, perDay: 1_000 } })
    assert.deepEqual([upgraded.admitted, upgraded.minute.used], [true, 6])
  })

  test('violations counted by different nodes add up to one ban that all nodes see', async () => {
    await using one = await node()
    await using other = await node()
    const request = { accountId: 'acc_c', keyId: 'key_c', limits }
    for (let sent = 0; sent < 6; sent++) await one.check(request)
    await other.check(request)
    // Neither counts enough alone; together they do.
    await delay(banRule.grace + 100)
    let started = 0
    for (let round = 0; round < 15; round++, ahead += second) {
      for (let sent = 0; sent < 6; sent++) {
        for (const limiter of [one, other]) if ((await limiter.check(request)).banStarted) started++
      }
    }
    assert.equal(started, 1)
    assert.notEqual((await one.check(request)).ban, null)
    assert.notEqual((await other.check(request)).ban, null)
    assert.equal(await one.liftBan('acc_c', 'key_c'), true)
    ahead += second
    assert.equal((await other.check(request)).ban, null)
  })
})

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type RunningRedis, startRedis } from '@masthead/testing/peers/redis.ts'
import { until } from '@masthead/testing/until.ts'
import { Redis } from 'ioredis'
import { type Database, openDatabase } from '../../database/database.ts'
import { hour, minute, systemClock } from '../../kernel/clock.ts'
import { initialBanState } from '../ban.ts'
import { Journal } from '../journal.ts'
import type { Verdict } from '../verdict.ts'
import { RedisConnection } from './redis-connection.ts'
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts'

const silent = { info: () => {}, warn: () => {} }
/** Long, because these tests check decisions, not speed on a busy machine. */
const timeout = 10_000

describe('a Redis that lost what it knew', { skip: skipWithout('redis') }, () => {
  let server: RunningRedis
  let database: Database
  let account = 0
  let request = { accountId: '', keyId: '', limits: { perMinute: 60, perDay: 30 } }

  before(async () => {
    server = await startRedis()
    database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  })
  beforeEach(() => {
    account++
    request = { ...request, accountId: `acc_${account}`, keyId: `key_${account}` }
  })
  after(async () => {
    await server.stop()
    await database.close()
  })

  async function node() {
    const connection = await RedisConnection.open({ url: server.url, log: silent, timeout })
    const journal = new Journal({ database, now: systemClock }, silent)
    const limiter = createRedisLimiter({ connection, journal, now: systemClock })
    return { connection, journal, limiter, [Symbol.asyncDispose]: () => limiter.close() }
  }

  const losses = {
    'was emptied': async () => {
      const control = new Redis(server.url)
      await control.flushall()
      control.disconnect()
    },
    'came back without its data': async () => {
      await server.stop()
      await server.start()
    },
  }
  /** Until Redis has decided: a node notices an outage only when it sends a command. */
  async function reached(limiter: RedisLimiter): Promise<void> {
    const { asked } = limiter.decisions
    await until(async () => {
      await limiter.checkOperator()
      return limiter.decisions.asked > asked
    })
  }

  const admittedOf = (verdicts: Verdict[]) => verdicts.filter(({ admitted }) => admitted).length

  for (const [what, lose] of Object.entries(losses)) {
    test(`and ${what} gets today's counts of all nodes back before it decides`, async () => {
      await using one = await node()
      await using other = await node()
      const nodes = [one, other]
      for (let n = 0; n < 20; n++) await nodes[n % 2]?.limiter.check(request)
      for (const { limiter } of nodes) await limiter.flush()
      await lose()
      for (const { limiter } of nodes) await reached(limiter)
      const verdicts = await Promise.all(
        Array.from({ length: 60 }, (_, n) => (nodes[n % 2] ?? one).limiter.check(request)),
      )
      assert.equal(admittedOf(verdicts), 10)
      assert.equal((await one.limiter.usage(request.accountId, request.limits)).day?.used, 30)
    })

    test(`and ${what} gets bans back, except lifted ones`, async () => {
      await using one = await node()
      const { accountId, keyId } = request
      await one.limiter.check(request)
      const at = Date.now()
      const ban = { bannedSince: at - minute, bannedUntil: at + hour, step: 3, violations: 200 }
      one.journal.recordBan(accountId, keyId, { ...initialBanState, ...ban })
      one.journal.recordBan(accountId, 'key_lifted', { ...initialBanState, ...ban })
      await one.limiter.flush()
      await lose()
      await reached(one.limiter)
      assert.deepEqual([...(await one.limiter.bans(accountId, [keyId])).keys()], [keyId])
      await one.limiter.liftBan(accountId, 'key_lifted')
      const banned = await one.limiter.check(request)
      assert.deepEqual([banned.admitted, banned.ban?.step, banned.ban?.until], [false, 3, at + hour])
      await lose()
      await reached(one.limiter)
      await using fresh = await node()
      assert.equal((await fresh.limiter.check(request)).ban?.until, at + hour)
      assert.equal((await fresh.limiter.check({ ...request, keyId: 'key_lifted' })).ban, null)
    })
  }

  test('does not get a ban back that is lifted while another node restores it', async () => {
    await using one = await node()
    await using other = await node()
    const { accountId, keyId } = request
    const at = Date.now()
    const ban = { bannedSince: at - minute, bannedUntil: at + hour, step: 3, violations: 200 }
    one.journal.recordBan(accountId, keyId, { ...initialBanState, ...ban })
    await one.limiter.flush()
    const hasRead = Promise.withResolvers<void>()
    const isLifted = Promise.withResolvers<void>()
    const readStored = other.journal.readStored.bind(other.journal)
    other.journal.readStored = async (...args) => {
      const stored = await readStored(...args)
      hasRead.resolve()
      await isLifted.promise
      return stored
    }
    const checked = other.limiter.check(request)
    await hasRead.promise
    assert.equal(await one.limiter.liftBan(accountId, keyId), true)
    isLifted.resolve()
    assert.equal((await checked).ban, null)
    assert.equal((await one.limiter.bans(accountId, [keyId])).size, 0)
  })

  test('and a database that fails too leave a node with its share', async () => {
    const away = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
    const connection = await RedisConnection.open({ url: server.url, log: silent, timeout })
    const journal = new Journal({ database: away, now: systemClock }, silent)
    const limiter = createRedisLimiter({ connection, journal, now: systemClock })
    await away.close()
    const verdict = await limiter.check(request)
    assert.equal(verdict.admitted, true)
    assert.equal(limiter.decisions.fallback, 1)
    await limiter.close()
  })
})

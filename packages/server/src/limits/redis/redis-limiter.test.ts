import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type RunningRedis, startRedis } from '@masthead/testing/peers/redis.ts'
import { Redis } from 'ioredis'
import { openDatabase } from '../../database/database.ts'
import { Journal } from '../journal.ts'
import { limiterContract } from '../limiter.test-kit.ts'
import { decideScript, toScript } from './decide-script.ts'
import { RedisConnection } from './redis-connection.ts'
import { createRedisLimiter } from './redis-limiter.ts'

const skip = skipWithout('redis')
const silent = { info: () => {}, warn: () => {} }
/** Long, because these tests check decisions, not speed on a busy machine. */
const timeout = 10_000
let server: RunningRedis

before(async () => {
  if (!skip) server = await startRedis()
})
after(() => server?.stop())

/** Redis's clock cannot be moved, so the script reads one that can. */
const clockKey = 'clock'
const movable = toScript(
  decideScript().text.replace(
    "redis.call('TIME')",
    `{ math.floor(redis.call('GET', '${clockKey}') / 1000), redis.call('GET', '${clockKey}') % 1000 * 1000 }`,
  ),
)

limiterContract('on Redis', skip, async (at) => {
  const clock = { at }
  const now = () => clock.at
  const control = new Redis(server.url)
  await control.flushall()
  await control.set(clockKey, at)
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  const journal = new Journal({ database, now }, silent)
  const connection = await RedisConnection.open({ url: server.url, log: silent, timeout })
  const limiter = createRedisLimiter({ connection, journal, now, script: movable })
  return {
    limiter,
    journal,
    now,
    async move(milliseconds) {
      clock.at += milliseconds
      await control.set(clockKey, clock.at)
    },
    async [Symbol.asyncDispose]() {
      assert.equal(limiter.decisions.fallback, 0)
      await limiter.close()
      await database.close()
      control.disconnect()
    },
  }
})

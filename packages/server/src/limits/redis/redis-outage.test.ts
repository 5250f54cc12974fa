import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@masthead/testing/free-port.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type RunningRedis, startRedis } from '@masthead/testing/peers/redis.ts'
import { until } from '@masthead/testing/until.ts'
import { Redis } from 'ioredis'
import { type Database, openDatabase } from '../../database/database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { limitHeaders } from '../headers.ts'
import { Journal } from '../journal.ts'
import type { Verdict } from '../verdict.ts'
import { RedisConnection } from './redis-connection.ts'
import { createRedisLimiter } from './redis-limiter.ts'

const limits = { perMinute: 60, perDay: 1_000 }
/** Longer than in production, because the machine is busy with other tests. */
const timeout = 400
const silent = { info: () => {}, warn: () => {} }

describe('limits while Redis is away', { skip: skipWithout('redis') }, () => {
  let server: RunningRedis
  let database: Database
  let account = 0
  let request = { accountId: '', keyId: '', limits }

  before(async () => {
    server = await startRedis()
    database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  })
  beforeEach(() => {
    account++
    request = { accountId: `acc_${account}`, keyId: `key_${account}`, limits }
  })
  after(async () => {
    await server.stop()
    await database.close()
  })

  async function node({ url = server.url, now = systemClock } = {}) {
    const logged: string[] = []
    const log = {
      info: (_: object, message: string) => logged.push(`info ${message}`),
      warn: (_: object, message: string) => logged.push(`warn ${message}`),
    }
    const connection = await RedisConnection.open({ url, log, timeout })
    const journal = new Journal({ database, now }, silent)
    const limiter = createRedisLimiter({ connection, journal, now })
    const levels = () => logged.map((line) => line.slice(0, 4))
    return { connection, limiter, levels, [Symbol.asyncDispose]: () => limiter.close() }
  }

  const admittedOf = (verdicts: Verdict[]) => verdicts.filter(({ admitted }) => admitted).length
  const sendMany = (count: number, one: () => Verdict | Promise<Verdict>) =>
    Promise.all(Array.from({ length: count }, one))

  test('a node allows its share, logs it once, keeps its headers, and recovers automatically', async () => {
    await using _other = await node()
    await using one = await node()
    assert.equal(one.connection.nodes, 2)
    assert.equal((await one.limiter.check(request)).minute.used, 1)

    await server.stop()
    const verdicts = await sendMany(200, () => one.limiter.check(request))
    assert.equal(admittedOf(verdicts), 30)
    assert.deepEqual(one.limiter.counting(), { by: 'redis', up: false, nodes: 2 })
    for (const verdict of verdicts) {
      const headers = limitHeaders(verdict)
      assert.equal(headers['x-ratelimit-limit'], '60')
      assert.equal('retry-after' in headers, !verdict.admitted)
    }
    assert.equal(one.limiter.decisions.fallback, 200)
    assert.deepEqual(one.levels(), ['warn'])

    await server.start()
    await until(() => one.connection.up)
    const asked = one.limiter.decisions.asked
    assert.equal((await one.limiter.check(request)).admitted, true)
    assert.equal(one.limiter.decisions.asked, asked + 1)
    assert.deepEqual(one.levels(), ['warn', 'info'])
  })

  const silences = {
    'is paused': async () => {
      server.pause()
      return async () => server.resume()
    },
    'sleeps over a command': async () => {
      const control = new Redis(server.url)
      await control.ping()
      const slept = control.debug('SLEEP', 2)
      return async () => {
        await slept
        control.disconnect()
      }
    },
  }
  for (const [what, fallSilent] of Object.entries(silences)) {
    test(`nobody waits for a Redis that ${what}, and its first reply ends the outage`, async () => {
      await using one = await node()
      const wake = await fallSilent()
      const first = await sendMany(100, () => one.limiter.check(request))
      assert.equal(admittedOf(first), 60)
      assert.equal(one.connection.up, false)
      const more = await sendMany(100, () => one.limiter.check(request))
      assert.equal(admittedOf(more), 0)
      assert.equal(one.limiter.decisions.fallback, 200)
      await wake()
      await until(() => one.connection.up)
      const { admitted } = await one.limiter.check({ ...request, accountId: `${request.accountId}b` })
      assert.deepEqual([admitted, one.limiter.decisions.asked], [true, 1])
      assert.deepEqual(one.levels(), ['warn', 'info'])
    })
  }

  test('a connection that stays silent is replaced', async () => {
    await using one = await node()
    server.pause()
    await one.limiter.check(request)
    await delay(2_500)
    server.resume()
    await until(() => one.connection.up)
    assert.deepEqual(one.levels(), ['warn', 'info'])
  })

  test('a restart in the middle of traffic fails no request and admits no more than the shares allow', async () => {
    await using one = await node()
    await using other = await node()
    const verdicts: Verdict[] = []
    let sending = true
    const clients = Array.from({ length: 20 }, async (_, n) => {
      const { limiter } = n % 2 ? one : other
      for (; sending; await delay(5)) verdicts.push(await limiter.check(request))
    })
    await until(() => verdicts.length > 200)
    const shares = Math.floor(60 / one.connection.nodes) + Math.floor(60 / other.connection.nodes)
    await server.stop()
    await until(() => !one.connection.up && !other.connection.up)
    await server.start()
    await until(() => one.connection.up && other.connection.up)
    const asked = one.limiter.decisions.asked
    await until(() => one.limiter.decisions.asked > asked)
    sending = false
    await Promise.all(clients)
    // The limit before the outage, both shares during it, and the limit again after it, because this Redis lost its
    // data.
    assert.ok(admittedOf(verdicts) <= 60 + shares + 60, `${admittedOf(verdicts)} were admitted`)
    assert.ok(verdicts.length > admittedOf(verdicts))
  })

  test('a server starts without Redis, and connects once it is up', async () => {
    await server.stop()
    await using one = await node()
    assert.equal((await one.limiter.check(request)).admitted, true)
    assert.deepEqual([one.limiter.decisions.fallback, one.levels()], [1, ['warn']])
    await server.start()
    await until(() => one.connection.up)
    await one.limiter.check(request)
    assert.equal(one.limiter.decisions.asked, 1)
  })

  test('an address where nothing listens is an outage, not an error', async () => {
    await using one = await node({ url: `redis://127.0.0.1:${await freePort()}` })
    const verdicts = await sendMany(100, () => one.limiter.checkAddress('192.0.2.7'))
    assert.equal(admittedOf(verdicts), 60)
    assert.equal((await one.limiter.usage(request.accountId, limits)).day?.used, 0)
    assert.equal((await one.limiter.bans(request.accountId, [request.keyId])).size, 0)
    await assert.rejects(one.limiter.liftBan(request.accountId, request.keyId), { code: 'unavailable' })
  })

  test('a caller rejected before the outage stays rejected during it', async () => {
    await using one = await node()
    await sendMany(61, () => one.limiter.check(request))
    server.pause()
    await one.limiter.checkAddress('192.0.2.7')
    assert.equal(one.connection.up, false)
    assert.equal((await one.limiter.check(request)).admitted, false)
    server.resume()
    await until(() => one.connection.up)
  })

  test('the log says why Redis cannot be used', async () => {
    const withPassword = new URL(server.url)
    withPassword.password = 'wrong'
    const redis = new Redis(server.url)
    await redis.config('SET', 'requirepass', 'right')
    after(() => redis.disconnect())
    const closed = `redis://127.0.0.1:${await freePort()}`
    for (const [url, reason] of [
      [closed, /ECONNREFUSED/],
      [server.url, /NOAUTH/],
      [withPassword.href, /WRONGPASS/],
    ] as const) {
      const warned: string[] = []
      const warn = ({ err }: { err?: Error }, message: string) => warned.push(`${message} ${err?.message}`)
      const connection = await RedisConnection.open({ url, log: { ...silent, warn }, timeout })
      await connection.close()
      assert.equal(warned.length, 1)
      assert.match(warned[0] ?? '', /^Redis cannot be used; /, url)
      assert.match(warned[0] ?? '', reason, url)
    }
    await redis.config('SET', 'requirepass', '')
  })
})

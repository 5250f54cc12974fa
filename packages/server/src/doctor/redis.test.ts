import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startRedis } from '@masthead/testing/peers/redis.ts'
import { Redis } from 'ioredis'
import { checkRedis, judgeRedis } from './redis.ts'

const skip = skipWithout('redis')

async function examine(url: string) {
  return checkRedis(url, new AbortController().signal)
}

async function configure(url: string, ...settings: [string, string][]): Promise<void> {
  const redis = new Redis(url)
  for (const [name, value] of settings) await redis.config('SET', name, value)
  redis.disconnect()
}

test('a healthy Redis is fine', { skip }, async () => {
  await using redis = await startRedis()
  assert.deepEqual(
    (await examine(redis.url)).map(({ status }) => status),
    ['ok'],
  )
})

test('a Redis that evicts keys is a problem under a memory limit, and a warning without', {
  skip,
}, async () => {
  await using redis = await startRedis()
  await configure(redis.url, ['maxmemory-policy', 'allkeys-lru'])
  const [, unlimited] = await examine(redis.url)
  assert.equal(unlimited?.status, 'warning')
  await configure(redis.url, ['maxmemory', '100mb'])
  const [, limited] = await examine(redis.url)
  assert.equal(limited?.status, 'problem')
  assert.match(`${limited?.message} ${limited?.fix}`, /allkeys-lru.*maxmemory-policy noeviction/)
})

test('a Redis that accepts no writes is a problem: full, or a replica', { skip }, async () => {
  await using redis = await startRedis()
  await configure(redis.url, ['maxmemory', '1'])
  assert.match((await examine(redis.url))[1]?.message ?? '', /^Redis accepts no writes: OOM/)
  await configure(redis.url, ['maxmemory', '0'])
  await using primary = await startRedis()
  const replica = new Redis(redis.url)
  await replica.replicaof('127.0.0.1', Number(new URL(primary.url).port))
  replica.disconnect()
  assert.match((await examine(redis.url))[1]?.fix ?? '', /primary/)
})

test('a Redis that is stopped, refuses the password or says nothing is a problem with its reason', {
  skip,
}, async () => {
  await using redis = await startRedis()
  await configure(redis.url, ['requirepass', 'right password'])
  const wrong = redis.url.replace('//', '//:wrongpassword@')
  assert.match((await examine(wrong))[0]?.fix ?? '', /password in REDIS_URL/)
  assert.match((await examine(redis.url))[0]?.fix ?? '', /password in REDIS_URL/)
  redis.pause()
  assert.equal((await examine(redis.url))[0]?.status, 'problem')
  redis.resume()
  await redis.stop()
  const [stopped] = await examine(redis.url)
  assert.match(`${stopped?.message}${stopped?.fix}`, /ECONNREFUSED.*Check that Redis runs/)
})

test('an old Redis and one that cannot save are problems', () => {
  const healthy = {
    version: '7.2.4',
    role: 'master',
    policy: 'noeviction',
    maxMemory: 0,
    isSaving: true,
    isCluster: false,
    writeError: null,
  }
  const statuses = (change: Partial<typeof healthy>) =>
    judgeRedis({ ...healthy, ...change }).map(({ status }) => status)
  assert.deepEqual(statuses({}), ['ok'])
  assert.deepEqual(statuses({ version: '5.0.14' }), ['ok', 'problem'])
  assert.deepEqual(statuses({ isSaving: false }), ['ok', 'problem'])
  assert.deepEqual(statuses({ isCluster: true }), ['ok', 'warning'])
})

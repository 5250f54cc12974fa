import { toScript } from '@masthead/server/src/limits/redis/decide-script.ts'
import { BatchedWrites } from '@masthead/server/src/limits/redis/redis-connection.ts'
import { startRedis } from '@masthead/testing/peers/redis.ts'
import { Redis } from 'ioredis'
import { median, ratio, type Table, whole } from '../report.ts'
import {
  type Decide,
  fastifyOnRedis,
  flexibleOnRedis,
  flexibleUnionOnRedis,
  mastheadOnRedis,
} from './limiters.ts'

const rounds = 9
const decisionsPerRound = 20_000
const inFlight = 64
const accounts = 1_000

const twoCounters = toScript(`
local minute = redis.call('INCR', KEYS[1])
if minute == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
local day = redis.call('INCR', KEYS[2])
if day == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
return { minute, day }`)

/** Decisions per second over one connection to a local Redis, compared to the least one could do. */
export async function measureLimitsOnRedis(): Promise<Table> {
  await using server = await startRedis()
  await using masthead = await mastheadOnRedis(server.url)
  const redis = new Redis(server.url)
  await redis.script('LOAD', twoCounters.text)
  const plain: Decide = (id) =>
    redis.evalsha(twoCounters.sha1, 2, `plain:{${id}}:minute`, `plain:{${id}}:day`, 60_000, 86_400_000)
  const limiters: { name: string; decide: Decide }[] = [
    { name: 'Masthead: two windows, ban, history', decide: masthead.decide },
    { name: 'plain EVALSHA with two counters', decide: plain },
    { name: 'the same, writes batched as ours', decide: batched(redis, plain) },
    { name: 'rate-limiter-flexible: one window', decide: flexibleOnRedis(redis) },
    { name: 'rate-limiter-flexible: union of two', decide: flexibleUnionOnRedis(redis) },
    { name: '@fastify/rate-limit: one window', decide: fastifyOnRedis(redis) },
  ]
  const rates = limiters.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { decide }] of limiters.entries()) {
      const rate = await decisionsPerSecond(decide)
      // The first round warms up.
      if (round > 0) rates[index]?.push(rate)
    }
  }
  const base = median(rates[1] ?? [])
  const rows: string[][] = []
  for (const [index, { name, decide }] of limiters.entries()) {
    const rate = median(rates[index] ?? [])
    const trips = await roundTrips(redis, decide)
    rows.push([name, whole(rate), ratio(rate, base), trips.toFixed(2)])
  }
  redis.disconnect()
  return {
    title: 'Limits on Redis, decisions per second',
    columns: ['limiter', 'decisions a second', 'to plain EVALSHA', 'round trips'],
    rows,
    notes: [
      `${inFlight} in flight over one connection, ${whole(accounts)} accounts, all admitted; the median of ${rounds} rounds in turns, ${whole(decisionsPerRound)}`,
      'decisions each. Above 1.00× is quicker. Masthead sends the commands of one turn of the event loop in few',
      'packets; the third row shows what that alone is worth.',
    ],
  }
}

async function decisionsPerSecond(decide: Decide): Promise<number> {
  const ids = Array.from({ length: accounts }, (_, n) => String(n).padStart(20, '0'))
  let started = 0
  const start = performance.now()
  const client = async () => {
    while (started < decisionsPerRound) {
      const id = ids[started++ % accounts]
      await decide(`acc_${id}`, `key_${id}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, client))
  return decisionsPerRound / ((performance.now() - start) / 1000)
}

/** Script calls as counted by Redis. None of these limiters makes other calls. */
async function roundTrips(redis: Redis, decide: Decide): Promise<number> {
  const decisions = 2_000
  const calls = async () => {
    const stats = await redis.info('commandstats')
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
  }
  const before = await calls()
  for (let n = 0; n < decisions; n++) await decide(`acc_${n % accounts}`, `key_${n % accounts}`)
  return ((await calls()) - before) / decisions
}

function batched(redis: Redis, decide: Decide): Decide {
  const writes = new BatchedWrites()
  return (accountId, keyId) => {
    writes.next(redis.stream)
    return decide(accountId, keyId)
  }
}

import { createRequire } from 'node:module'
import { type Database, openDatabase } from '@masthead/server/src/database/database.ts'
import { Journal } from '@masthead/server/src/limits/journal.ts'
import { createMemoryLimiter } from '@masthead/server/src/limits/memory-limiter.ts'
import { RedisConnection } from '@masthead/server/src/limits/redis/redis-connection.ts'
import { createRedisLimiter } from '@masthead/server/src/limits/redis/redis-limiter.ts'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterUnion } from 'rate-limiter-flexible'

/** Decides about one request. The result stands for the figures an answer would show. */
export type Decide = (accountId: string, keyId: string) => unknown

/** Large enough that nothing is rejected: admitted requests are measured. */
const highLimits = { perMinute: 1e9, perDay: 1e9 }
const minute = { points: highLimits.perMinute, duration: 60, keyPrefix: 'minute' }
const day = { points: highLimits.perDay, duration: 86_400, keyPrefix: 'day' }

export function flexibleInMemory(): Decide {
  const limiter = new RateLimiterMemory(minute)
  return (accountId) => limiter.consume(accountId)
}

export function flexibleUnionInMemory(): Decide {
  const limiter = new RateLimiterUnion(new RateLimiterMemory(minute), new RateLimiterMemory(day))
  return (accountId) => limiter.consume(accountId)
}

export function flexibleOnRedis(storeClient: Redis): Decide {
  const limiter = new RateLimiterRedis({ storeClient, ...minute })
  return (accountId) => limiter.consume(accountId)
}

export function flexibleUnionOnRedis(storeClient: Redis): Decide {
  const limiter = new RateLimiterUnion(
    new RateLimiterRedis({ storeClient, ...minute }),
    new RateLimiterRedis({ storeClient, ...day }),
  )
  return (accountId) => limiter.consume(accountId)
}

interface FastifyStore {
  incr(key: string, done: (error: Error | null, result: unknown) => void, window: number, max: number): void
}

const require = createRequire(import.meta.url)
const storeOf = (name: string) =>
  require(`@fastify/rate-limit/store/${name}.js`) as new (
    ...options: unknown[]
  ) => FastifyStore

/** By default its cache forgets all but 5,000 callers; here it keeps all. */
export function fastifyInMemory(callers: number): Decide {
  const store = new (storeOf('LocalStore'))(false, false, callers)
  return (accountId) => {
    let counted: unknown
    store.incr(
      accountId,
      (_, result) => {
        counted = result
      },
      60_000,
      highLimits.perMinute,
    )
    return counted
  }
}

export function fastifyOnRedis(redis: Redis): Decide {
  const store = new (storeOf('RedisStore'))(false, false, redis)
  return (accountId) =>
    new Promise((resolve, reject) => {
      store.incr(
        accountId,
        (error, result) => (error ? reject(error) : resolve(result)),
        60_000,
        highLimits.perMinute,
      )
    })
}

const log = { info: () => {}, warn: (details: object, message: string) => console.error(message, details) }
const now = () => Date.now()

export interface OurLimiter extends AsyncDisposable {
  decide: Decide
  journal: Journal
}

/** Both windows, the ban, the header figures and the history. */
export async function mastheadInMemory(): Promise<OurLimiter> {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, log)
  const journal = new Journal({ database, now }, log)
  const limiter = await createMemoryLimiter({ journal, now })
  const decide: Decide = (accountId, keyId) => limiter.check({ accountId, keyId, limits: highLimits })
  return { decide, journal, [Symbol.asyncDispose]: () => closeBoth(limiter, database) }
}

/** The same on Redis. A decision made without Redis fails the measurement. */
export async function mastheadOnRedis(url: string): Promise<OurLimiter> {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, log)
  const journal = new Journal({ database, now }, log)
  const connection = await RedisConnection.open({ url, log, timeout: 10_000 })
  const limiter = createRedisLimiter({ connection, journal, now })
  return {
    decide: (accountId, keyId) => limiter.check({ accountId, keyId, limits: highLimits }),
    journal,
    async [Symbol.asyncDispose]() {
      const { known, fallback } = limiter.decisions
      await closeBoth(limiter, database)
      if (known + fallback > 0) throw new Error(`${known + fallback} decisions were made without Redis`)
    },
  }
}

async function closeBoth(limiter: { close(): Promise<void> }, database: Database): Promise<void> {
  await limiter.close()
  await database.close()
}

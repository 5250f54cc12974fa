import { createRequire } from 'node:module'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterUnion } from 'rate-limiter-flexible'

/** Decides over one request; what it gives back stands for the figures that an answer would show. */
export type Decide = (accountId: string, keyId: string) => unknown

/** Large enough that nothing is rejected: the path of an admitted request is measured. */
export const roomy = { perMinute: 1e9, perDay: 1e9 }
const minute = { points: roomy.perMinute, duration: 60, keyPrefix: 'minute' }
const day = { points: roomy.perDay, duration: 86_400, keyPrefix: 'day' }

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

/** Its cache holds 5,000 callers by default and forgets the rest; here it may keep all. */
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
      roomy.perMinute,
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
        roomy.perMinute,
      )
    })
}

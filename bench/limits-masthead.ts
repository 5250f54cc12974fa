import { type Database, openDatabase } from '@masthead/server/src/database/database.ts'
import { Journal } from '@masthead/server/src/limits/journal.ts'
import { createMemoryLimiter } from '@masthead/server/src/limits/memory-limiter.ts'
import { createRedisLimiter } from '@masthead/server/src/limits/redis-limiter.ts'
import { RedisLink } from '@masthead/server/src/limits/redis-link.ts'
import { type Decide, roomy } from './limits-rivals.ts'

const log = { info: () => {}, warn: (details: object, message: string) => console.error(message, details) }
const now = () => Date.now()

export interface OurLimiter extends AsyncDisposable {
  decide: Decide
  journal: Journal
}

/** Both windows, the ban and the figures of the headers, counted for the history as well. */
export async function mastheadInMemory(): Promise<OurLimiter> {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, log)
  const journal = new Journal({ database, now }, log)
  const limiter = await createMemoryLimiter({ journal, now })
  const decide: Decide = (accountId, keyId) => limiter.check({ accountId, keyId, limits: roomy })
  return { decide, journal, [Symbol.asyncDispose]: () => closeBoth(limiter, database) }
}

/** The same on Redis. A decision that was not made there would be a cheat, and fails the measurement. */
export async function mastheadOnRedis(url: string): Promise<OurLimiter> {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, log)
  const journal = new Journal({ database, now }, log)
  const link = await RedisLink.open({ url, log, budget: 10_000 })
  const limiter = createRedisLimiter({ link, journal, now })
  return {
    decide: (accountId, keyId) => limiter.check({ accountId, keyId, limits: roomy }),
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

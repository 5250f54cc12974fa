import { Counter, Gauge, type Registry } from 'prom-client'
import type { Context } from '../database/database.ts'
import { Journal } from '../limits/journal.ts'
import type { Limiter } from '../limits/limiter.ts'
import { createMemoryLimiter } from '../limits/memory-limiter.ts'
import type { RedisConnection, RedisConnectionLog } from '../limits/redis/redis-connection.ts'
import type { DecisionCounts } from '../limits/redis/redis-limiter.ts'
import { countVerdicts } from './metrics/limit-verdicts.ts'

/** Counts in memory, or in Redis if several servers share the limits. */
export async function openLimiter(
  context: Context,
  { redisUrl, metrics, log }: { redisUrl: string | null; metrics: Registry; log: RedisConnectionLog },
): Promise<Limiter> {
  const { now } = context
  const journal = new Journal(context, log)
  if (redisUrl === null) return countVerdicts(await createMemoryLimiter({ journal, now }), metrics)
  // Loaded only where it is used: most servers have no Redis.
  const [{ RedisConnection }, { createRedisLimiter }] = await Promise.all([
    import('../limits/redis/redis-connection.ts'),
    import('../limits/redis/redis-limiter.ts'),
  ])
  const connection = await RedisConnection.open({ url: redisUrl, log })
  const limiter = createRedisLimiter({ connection, journal, now })
  registerLimiterMetrics(metrics, connection, limiter.decisions)
  return countVerdicts(limiter, metrics)
}

function registerLimiterMetrics(
  metrics: Registry,
  connection: RedisConnection,
  decisions: Readonly<DecisionCounts>,
): void {
  new Gauge({
    name: 'masthead_limits_redis_up',
    help: 'Whether Redis decides about limits (1) or a local share does (0)',
    registers: [metrics],
    collect() {
      this.set(connection.up ? 1 : 0)
    },
  })
  new Counter({
    name: 'masthead_limits_decisions_total',
    help: 'Rate limit decisions by where they were made',
    labelNames: ['by'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const [by, count] of Object.entries(decisions)) this.inc({ by }, count)
    },
  })
}

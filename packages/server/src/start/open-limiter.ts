import { Counter, Gauge, type Registry } from 'prom-client'
import type { Context } from '../database/database.ts'
import { Journal } from '../limits/journal.ts'
import type { Limiter } from '../limits/limiter.ts'
import { createMemoryLimiter } from '../limits/memory-limiter.ts'
import { RedisConnection, type RedisConnectionLog } from '../limits/redis/redis-connection.ts'
import { createRedisLimiter, type DecisionCounts } from '../limits/redis/redis-limiter.ts'

/** Limits in memory for one process, or in the Redis that several share. */
export async function openLimiter(
  context: Context,
  { redisUrl, metrics, log }: { redisUrl: string | null; metrics: Registry; log: RedisConnectionLog },
): Promise<Limiter> {
  const { now } = context
  const journal = new Journal(context, log)
  if (redisUrl === null) return createMemoryLimiter({ journal, now })
  const connection = await RedisConnection.open({ url: redisUrl, log })
  const limiter = createRedisLimiter({ connection, journal, now })
  registerLimiterMetrics(metrics, connection, limiter.decisions)
  return limiter
}

function registerLimiterMetrics(
  metrics: Registry,
  connection: RedisConnection,
  decisions: Readonly<DecisionCounts>,
): void {
  new Gauge({
    name: 'masthead_limits_redis_up',
    help: 'Whether limits are decided by Redis (1) or by a local share (0)',
    registers: [metrics],
    collect() {
      this.set(connection.up ? 1 : 0)
    },
  })
  new Counter({
    name: 'masthead_limits_decisions_total',
    help: 'Decisions over requests by who made them',
    labelNames: ['by'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const [by, count] of Object.entries(decisions)) this.inc({ by }, count)
    },
  })
}

import { type Health, type HealthCheck, healthCheckNames } from '@masthead/contract/schemas/operator.ts'
import type { FastifyInstance } from 'fastify'
import { countExpiringSoon } from '../../certificates/operator-view.ts'
import { countRows, pingDatabase } from '../../database/database-health.ts'
import { countDomainsByState } from '../../domains/operator-views.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { withTimeout } from '../../kernel/with-timeout.ts'
import type { ApiParts } from '../handler.ts'
import { checks, deadline, type HealthParts } from './checks.ts'

/**
 * Work that hangs is not begun again beside itself: whoever asks meanwhile waits for the same, so that nothing piles
 * up however often somebody asks.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null
  return () => {
    underWay ??= work().finally(() => {
      underWay = null
    })
    return underWay
  }
}

type Parts = HealthParts & Pick<ApiParts, 'version' | 'log'>

/** Tells how the server is. Whatever is wrong with a part is in the answer; none keeps the others from being told. */
export function createHealth(parts: Parts): () => Promise<Health> {
  const { context, version, log } = parts
  const startedAt = isoTime(context.now())
  const looks = healthCheckNames.map((name) => createCheck(parts, name))
  const count = singleFlight(() => countAll(parts))

  return async () => {
    const counting = withTimeout(count(), deadline).catch((err: unknown) => {
      log.warn({ err }, 'what there is could not be counted')
      return null
    })
    return {
      version,
      startedAt,
      dialect: context.database.dialect,
      checks: await Promise.all(looks.map((look) => look())),
      counts: await counting,
    }
  }
}

function createCheck(parts: Parts, name: HealthCheck['name']): () => Promise<HealthCheck> {
  const { look, otherwise } = checks[name]
  const lookOnce = singleFlight(() => look(parts))
  return async () => {
    try {
      return { name, ...(await withTimeout(lookOnce(), deadline)) }
    } catch (err) {
      parts.log.warn({ err, check: name }, 'a part of the server is not well')
      return { name, ok: false, message: otherwise }
    }
  }
}

async function countAll({ context }: HealthParts): Promise<NonNullable<Health['counts']>> {
  const [rows, domains, certificatesExpiringSoon] = await Promise.all([
    countRows(context.database),
    countDomainsByState(context),
    countExpiringSoon(context),
  ])
  return { ...rows, domains, certificatesExpiringSoon }
}

/** For load balancers: alive, and able to take requests. */
export function serveStatus(app: FastifyInstance, { context, metrics, mayReadMetrics }: ApiParts): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    try {
      await pingDatabase(context.database)
      return { status: 'ready' }
    } catch {
      return reply.status(503).header('Retry-After', '1').send({ status: 'waiting', for: 'database' })
    }
  })
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request.headers.authorization)) {
      throw new Problem('unauthenticated', 'Send the operator key or the token for metrics.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    }
    return reply.type(metrics.contentType).send(await metrics.metrics())
  })
}

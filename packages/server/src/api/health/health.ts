import { type Health, type HealthCheck, healthCheckNames } from '@masthead/contract/schemas/operator.ts'
import type { FastifyInstance } from 'fastify'
import { countExpiringSoon } from '../../certificates/operator-view.ts'
import { withDatabaseTimeout } from '../../database/database-errors.ts'
import { countRows, pingDatabase } from '../../database/database-health.ts'
import { countDomainsByState } from '../../domains/operator-views.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import type { ApiParts } from '../handler.ts'
import { type CheckResult, checks, deadline, type HealthParts } from './checks.ts'

type Counts = NonNullable<Health['counts']>
type Parts = HealthParts & Pick<ApiParts, 'version' | 'log' | 'doctorReport'>

/** Reports the health of the server. A failing check does not keep the others from being reported. */
export function createHealth(parts: Parts): () => Promise<Health> {
  const { context, version, log, doctorReport } = parts
  const startedAt = isoTime(context.now())
  const runs = healthCheckNames.map((name) => createCheck(parts, name))
  // Checks that hang must not pile up, however often somebody asks.
  const count = singleFlight<void, Counts>(() => countAll(parts))

  return async () => {
    const counting = withDatabaseTimeout(count(), deadline).catch((err: unknown) => {
      log.warn({ err }, 'could not count rows')
      return null
    })
    return {
      version,
      startedAt,
      dialect: context.database.dialect,
      checks: await Promise.all(runs.map((run) => run())),
      counts: await counting,
      doctor: doctorReport(),
    }
  }
}

function createCheck(parts: Parts, name: HealthCheck['name']): () => Promise<HealthCheck> {
  const { run, onFailure } = checks[name]
  const runOnce = singleFlight<void, CheckResult>(() => run(parts))
  return async () => {
    try {
      return { name, ...(await withDatabaseTimeout(runOnce(), deadline)) }
    } catch (err) {
      parts.log.warn({ err, check: name }, 'a health check failed')
      return { name, ok: false, message: onFailure }
    }
  }
}

async function countAll({ context }: HealthParts): Promise<Counts> {
  const [rows, domains, certificatesExpiringSoon] = await Promise.all([
    countRows(context.database),
    countDomainsByState(context),
    countExpiringSoon(context),
  ])
  return { ...rows, domains, certificatesExpiringSoon }
}

/** For load balancers: liveness and readiness. */
export function serveStatus(app: FastifyInstance, parts: ApiParts): void {
  const { context, metrics, mayReadMetrics, isLeaving } = parts
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    if (isLeaving()) return reply.status(503).send({ status: 'stopping' })
    try {
      await pingDatabase(context.database)
      return { status: 'ready' }
    } catch {
      return reply.status(503).header('Retry-After', '1').send({ status: 'waiting', for: 'database' })
    }
  })
  // Sites are served from caches while the database is down.
  app.get('/readyz/sites', async (_request, reply) =>
    isLeaving() ? reply.status(503).send({ status: 'stopping' }) : { status: 'ready' },
  )
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request.headers.authorization)) {
      throw new Problem('unauthenticated', 'Send the operator key or the metrics token.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    }
    return reply.type(metrics.contentType).send(await metrics.metrics())
  })
}

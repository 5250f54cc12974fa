import type { FastifyInstance } from 'fastify'
import { databaseAnswers } from '../database/database-answers.ts'
import { Problem } from '../problem.ts'
import type { ApiParts } from './api-parts.ts'

/** For load balancers: alive, and able to take requests. */
export function serveStatus(app: FastifyInstance, { context, metrics, mayReadMetrics }: ApiParts): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    try {
      await databaseAnswers(context.database)
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

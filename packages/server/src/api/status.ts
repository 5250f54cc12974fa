import type { FastifyInstance } from 'fastify'
import { databaseAnswers } from '../database/database-answers.ts'
import type { ApiParts } from './api-parts.ts'

/** For load balancers: alive, and able to take requests. */
export function serveStatus(app: FastifyInstance, { context, metrics }: ApiParts): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    try {
      await databaseAnswers(context.database)
      return { status: 'ready' }
    } catch {
      return reply.status(503).header('Retry-After', '1').send({ status: 'waiting', for: 'database' })
    }
  })
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  )
}

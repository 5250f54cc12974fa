import { openApiDocument } from '@masthead/contract/openapi.ts'
import { projectFileJsonSchema } from '@masthead/contract/project-file.ts'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../handler.ts'

/** What programs read about the API and the project file. `docs/` has the pages for people. */
export function serveReference(app: FastifyInstance, { addresses, version }: ApiParts): void {
  // Created on the first request: creating it at the start took longer than all the rest of the API.
  let document: string | undefined
  const { dashboard } = addresses
  app.get('/v1', async () => ({ docs: `${dashboard}/docs`, openapi: `${dashboard}/v1/openapi.json` }))
  app.get('/v1/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument({ version, server: dashboard }))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  // Editors fetch it from any origin.
  app.get('/schemas/masthead.json', async (_request, reply) =>
    reply
      .header('Access-Control-Allow-Origin', '*')
      .type('application/schema+json; charset=utf-8')
      .send(JSON.stringify(projectFileJsonSchema())),
  )
}

import { openApiDocument } from '@masthead/contract/openapi.ts'
import { projectFileJsonSchema } from '@masthead/contract/project-file.ts'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from './api-parts.ts'
import { errorsPage } from './errors-page.ts'

/** The reference brings its own script and styles; it runs without the dashboard's session rights of its own. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

export async function serveReference(app: FastifyInstance, { addresses, version }: ApiParts): Promise<void> {
  const document = openApiDocument({ version, server: addresses.dashboard })
  const described = Buffer.from(JSON.stringify(document))
  app.get('/v1/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(described),
  )
  const fileSchema = projectFileJsonSchema()
  // Editors fetch it from wherever the file is edited.
  app.get('/schemas/masthead.json', async (_request, reply) =>
    reply
      .header('Access-Control-Allow-Origin', '*')
      .type('application/schema+json; charset=utf-8')
      .send(JSON.stringify(fileSchema)),
  )
  app.get('/docs/errors', async (_request, reply) =>
    reply
      .header(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .type('text/html; charset=utf-8')
      .send(errorsPage),
  )
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('Content-Security-Policy', contentSecurityPolicy)
    })
    await scope.register(scalar, {
      routePrefix: '/docs',
      logLevel: 'silent',
      configuration: {
        content: document,
        pageTitle: 'Masthead API',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    })
  })
}

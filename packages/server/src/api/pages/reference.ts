import { openApiDocument } from '@masthead/contract/openapi.ts'
import { projectFileJsonSchema } from '@masthead/contract/project-file.ts'
import fastify, { type FastifyInstance } from 'fastify'
import type { ApiParts } from '../handler.ts'

/** The reference has its own inline scripts and styles, so it needs a wider policy than the dashboard. */
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
  // Created on the first request: creating it at the start took longer than all the rest of the API.
  let document: object | undefined
  const readDocument = () => {
    document ??= openApiDocument({ version, server: addresses.dashboard })
    return document
  }
  app.get('/v1/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(readDocument())),
  )
  // Editors fetch it from any origin.
  app.get('/schemas/masthead.json', async (_request, reply) =>
    reply
      .header('Access-Control-Allow-Origin', '*')
      .type('application/schema+json; charset=utf-8')
      .send(JSON.stringify(projectFileJsonSchema())),
  )
  let reference: Promise<FastifyInstance> | undefined
  for (const url of ['/docs/reference', '/docs/reference/*']) {
    app.get(url, async (request, reply) => {
      reference ??= createReference(readDocument)
      const { headers } = request
      const answer = await (await reference).inject({ method: 'GET', url: request.url, headers })
      return reply
        .status(answer.statusCode)
        .headers({ ...answer.headers, 'Content-Security-Policy': contentSecurityPolicy })
        .send(answer.rawPayload)
    })
  }
}

/** An app of its own, loaded on the first request: the package takes a quarter of a second to load. */
async function createReference(content: () => object): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify({ logger: false })
  await app.register(scalar, {
    routePrefix: '/docs/reference',
    configuration: {
      content,
      pageTitle: 'Masthead API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  return app
}

import { openApiDocument } from '@masthead/contract/openapi.ts'
import { problems } from '@masthead/contract/problems.ts'
import { projectFileJsonSchema } from '@masthead/contract/project-file.ts'
import fastify, { type FastifyInstance } from 'fastify'
import { escapeHtml } from '../../kernel/escape-text.ts'
import type { ApiParts } from '../handler.ts'

/** The page that a problem's `type` links to. */
const errorsPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors · Masthead</title>
<style>
  :root { color-scheme: light dark; --paper: light-dark(#fbfaf6, #141310); --ink: light-dark(#1b1a17, #edeae2);
    --soft: light-dark(#6b675e, #a39e93); --line: light-dark(#e4e0d6, #2d2b26); }
  body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 44rem;
    margin: 0 auto; padding: 3rem 1.5rem; }
  h1 { font: 500 2rem/1.2 Newsreader, Georgia, serif; letter-spacing: -0.015em; }
  section { border-top: 1px solid var(--line); padding: 1rem 0; }
  h2 { font: 600 14px/1.5 ui-monospace, monospace; margin: 0; }
  h2 span { color: var(--soft); font-weight: 400; }
  p { margin: 0.25rem 0 0; } p + p { color: var(--soft); }
</style>
<h1>Errors</h1>
<p>Every error response is a problem document. Its <code>code</code> is one of these and never changes.</p>
${Object.entries(problems)
  .map(
    ([code, { status, title, fix }]) =>
      `<section id="${code}"><h2>${code} <span>${status}</span></h2><p>${escapeHtml(title)}.</p><p>${escapeHtml(fix)}</p></section>`,
  )
  .join('\n')}
</html>
`

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
  app.get('/docs/errors', async (_request, reply) =>
    reply
      .header(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .type('text/html; charset=utf-8')
      .send(errorsPage),
  )
  let reference: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*']) {
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
    routePrefix: '/docs',
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

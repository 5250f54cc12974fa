import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openApiDocument } from '@masthead/contract/openapi.ts'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../../kernel/problem.ts'
import type { ApiParts } from '../../handler.ts'
import { packageAddresses } from '../../offered-packages.ts'
import { pathOf } from '../../request/normalize-request.ts'
import { docsTemplate } from '../dashboard.ts'
import { sendPageFile } from '../page-file.ts'
import { readGuides } from './doc-pages.ts'
import type { Library } from './library.ts'
import { plainTemplate } from './page-html.ts'
import type { OpenApiDocument } from './reference/openapi-document.ts'
import { referencePages, referencePath } from './reference/reference-pages.ts'

type DocsParts = Pick<ApiParts, 'addresses' | 'packages' | 'dashboardFolder' | 'docsFolder' | 'version'>

/** The guides and the reference, where people and programs read them. */
export function serveDocs(app: FastifyInstance, parts: DocsParts): void {
  let opened: Promise<Library> | undefined
  const library = () => {
    opened ??= openLibrary(parts).catch((cause: unknown) => {
      opened = undefined
      throw new Problem('not_found', 'The guides are missing on this server.', { cause })
    })
    return opened
  }
  app.get('/docs/search', async (request, reply) => {
    const query = new URL(request.url, 'http://server.invalid').searchParams.get('q') ?? ''
    return sendPageFile(await (await library()).searchResults(query), request, reply)
  })
  for (const route of ['/docs', '/docs/*', '/llms.txt']) {
    app.get(route, async (request, reply) => {
      const path = pathOf(request.url)
      if (path.endsWith('/')) return reply.redirect(path.replace(/\/+$/, ''), 308)
      if (path === '/docs/reference') return reply.redirect(referencePath('Projects'), 302)
      const all = await library()
      const file = await all.file(path)
      if (file !== undefined) return sendPageFile(file, request, reply)
      return sendPageFile(await all.missing(path), request, reply.status(404))
    })
  }
}

async function openLibrary(parts: DocsParts): Promise<Library> {
  const { addresses, packages, dashboardFolder, docsFolder, version } = parts
  // Loaded with the first request, like the guides.
  const { Library } = await import('./library.ts')
  const guides = await readGuides(docsFolder, {
    server: addresses.dashboard,
    packages: packageAddresses(packages, addresses.dashboard),
  })
  const template =
    dashboardFolder === null
      ? plainTemplate
      : await readFile(join(dashboardFolder, docsTemplate), 'utf8').catch(() => plainTemplate)
  const api = openApiDocument({ version, server: addresses.dashboard }) as unknown as OpenApiDocument
  const reference = referencePages(api, addresses.dashboard)
  return new Library({ ...guides, pages: [...guides.pages, ...reference] }, template)
}

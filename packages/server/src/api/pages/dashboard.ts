import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { mediaTypeOf } from '../../kernel/content-type.ts'
import { pathOf } from '../request/normalize-request.ts'
import { type FileForms, type PageFile, pageFile, sendPageFile } from './page-file.ts'

/** The dashboard shows project thumbnails in frames, so only sites of the platform may be framed. */
function contentSecurityPolicy(sites: DashboardParts['sites']): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `frame-src ${sites.join(' ')}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export interface DashboardParts {
  /** Null if the dashboard was not built. */
  folder: string | null
  /** The origins of the platform's sites. */
  sites: readonly string[]
}

/** Keeps the dashboard's few files in memory, with the compressed forms that its build made. */
export async function serveDashboard(app: FastifyInstance, { folder, sites }: DashboardParts): Promise<void> {
  const files =
    folder === null ? new Map<string, PageFile>() : await loadFiles(folder, contentSecurityPolicy(sites))
  const page = files.get('/index.html')
  if (page === undefined) {
    app.get('/', async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send('The dashboard was not built. The API is at /v1.\n'),
    )
    return
  }
  app.get('/', (request, reply) => sendPageFile(page, request, reply))
  app.get('/*', (request, reply) => {
    const path = pathOf(request.url)
    const file = files.get(path)
    if (file !== undefined) return sendPageFile(file, request, reply)
    return isView(path) ? sendPageFile(page, request, reply) : reply.callNotFound()
  })
}

/** The frame of the guides, which `docs/` fills. It is not a page of its own. */
export const docsTemplate = 'docs.html'

/** No view starts like this: a program that calls a missing API must not get an HTML page. */
const notViews = /^(?:$|assets$|\.{1,2}$|(?:v\d+|api)(?![\w-]))/i

/**
 * Views have their own URLs, which may contain hostnames. API paths, and files that browsers and robots look for, are
 * not views.
 */
function isView(path: string): boolean {
  const [first = '', ...rest] = path.slice(1).split('/')
  return !notViews.test(first) && (rest.length > 0 || !first.includes('.'))
}

async function loadFiles(folder: string, policy: string): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile() || /\.(br|gz)$/.test(entry.name) || entry.name === docsTemplate) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).replaceAll('\\', '/')}`
    files.set(path, describe(path, await readForms(file), policy))
  }
  return files
}

async function readForms(file: string): Promise<FileForms> {
  const [identity, br, gzip] = await Promise.all([
    readFile(file),
    readFile(`${file}.br`).catch(() => null),
    readFile(`${file}.gz`).catch(() => null),
  ])
  return { identity, br, gzip }
}

function describe(path: string, forms: FileForms, policy: string): PageFile {
  return pageFile(mediaTypeOf(path) ?? 'application/octet-stream', forms, {
    'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  })
}

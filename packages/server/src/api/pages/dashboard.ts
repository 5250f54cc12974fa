import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mediaTypeOf } from '../../kernel/content-type.ts'
import { pathOf } from '../request/normalize-request.ts'
import { isCached } from './not-modified.ts'

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

interface DashboardFile {
  headers: Record<string, string>
  etag: string
  forms: { identity: Buffer; br: Buffer | null; gzip: Buffer | null }
}

/** Keeps the dashboard's few files in memory, with the compressed forms that its build made. */
export async function serveDashboard(app: FastifyInstance, { folder, sites }: DashboardParts): Promise<void> {
  const files =
    folder === null ? new Map<string, DashboardFile>() : await loadFiles(folder, contentSecurityPolicy(sites))
  const page = files.get('/index.html')
  if (page === undefined) {
    app.get('/', async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send('The dashboard was not built. The API is at /v1.\n'),
    )
    return
  }
  app.get('/', (request, reply) => send(page, request, reply))
  app.get('/*', (request, reply) => {
    const path = pathOf(request.url)
    const file = files.get(path)
    if (file !== undefined) return send(file, request, reply)
    return isView(path) ? send(page, request, reply) : reply.callNotFound()
  })
}

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

function send(file: DashboardFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(file.headers)
  if (isCached(request.headers['if-none-match'], file.etag)) return reply.status(304).send()
  const accepted = acceptedEncodings(String(request.headers['accept-encoding'] ?? ''))
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.has(name) && file.forms[name] !== null)
  if (encoding === undefined) return reply.send(file.forms.identity)
  return reply.header('Content-Encoding', encoding).send(file.forms[encoding])
}

function acceptedEncodings(header: string): Set<string> {
  const offers = header.toLowerCase().split(',')
  return new Set(
    offers
      .filter((offer) => !/;\s*q=0(\.0*)?\s*$/.test(offer))
      .map((offer) => offer.split(';')[0]?.trim() ?? ''),
  )
}

async function loadFiles(folder: string, policy: string): Promise<Map<string, DashboardFile>> {
  const files = new Map<string, DashboardFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile() || /\.(br|gz)$/.test(entry.name)) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).replaceAll('\\', '/')}`
    files.set(path, describe(path, await readForms(file), policy))
  }
  return files
}

async function readForms(file: string): Promise<DashboardFile['forms']> {
  const [identity, br, gzip] = await Promise.all([
    readFile(file),
    readFile(`${file}.br`).catch(() => null),
    readFile(`${file}.gz`).catch(() => null),
  ])
  return { identity, br, gzip }
}

function describe(path: string, forms: DashboardFile['forms'], policy: string): DashboardFile {
  const etag = `"${createHash('sha256').update(forms.identity).digest('base64url').slice(0, 22)}"`
  const type = mediaTypeOf(path) ?? 'application/octet-stream'
  return {
    etag,
    forms,
    headers: {
      ETag: etag,
      Vary: 'Accept-Encoding',
      'Content-Type': /^text\/|javascript/.test(type) ? `${type}; charset=utf-8` : type,
      'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  }
}

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lookup } from 'mrmime'

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface DashboardFile {
  headers: Record<string, string>
  etag: string
  forms: { identity: Buffer; br?: Buffer; gzip?: Buffer }
}

/** The dashboard is a few files: they are held in memory, compressed once at start. */
export async function serveDashboard(app: FastifyInstance, folder: string | null): Promise<void> {
  const files = folder === null ? new Map<string, DashboardFile>() : await loadFiles(folder)
  const page = files.get('/index.html')
  if (page === undefined) {
    app.get('/', async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send('The dashboard is not built here. The API is at /v1.\n'),
    )
    return
  }
  app.get('/', (request, reply) => send(page, request, reply))
  app.get('/*', (request, reply) => {
    const path = request.url.split('?')[0] ?? '/'
    const file = files.get(path)
    if (file !== undefined) return send(file, request, reply)
    // Every view has its own address; what looks like a file or belongs to the API does not.
    const isView =
      path !== '/v1' && !path.startsWith('/v1/') && !path.slice(path.lastIndexOf('/')).includes('.')
    return isView ? send(page, request, reply) : reply.callNotFound()
  })
}

function send(file: DashboardFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(file.headers)
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.status(304).send()
  const accepted = acceptedEncodings(String(request.headers['accept-encoding'] ?? ''))
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.has(name) && file.forms[name])
  if (encoding === undefined) return reply.send(file.forms.identity)
  return reply.header('Content-Encoding', encoding).send(file.forms[encoding])
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

function acceptedEncodings(header: string): Set<string> {
  const offers = header.toLowerCase().split(',')
  return new Set(
    offers
      .filter((offer) => !/;\s*q=0(\.0*)?\s*$/.test(offer))
      .map((offer) => offer.split(';')[0]?.trim() ?? ''),
  )
}

async function loadFiles(folder: string): Promise<Map<string, DashboardFile>> {
  const files = new Map<string, DashboardFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const place = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, place).replaceAll('\\', '/')}`
    files.set(path, await describe(path, await readFile(place)))
  }
  return files
}

async function describe(path: string, identity: Buffer): Promise<DashboardFile> {
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`
  const type = lookup(path) ?? 'application/octet-stream'
  const isText = /^text\/|javascript|json|svg/.test(type)
  const forms = isText
    ? { identity, br: await promisify(brotliCompress)(identity), gzip: await promisify(gzip)(identity) }
    : { identity }
  return {
    etag,
    forms,
    headers: {
      ETag: etag,
      Vary: 'Accept-Encoding',
      'Content-Type': /^text\/|javascript/.test(type) ? `${type}; charset=utf-8` : type,
      'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  }
}

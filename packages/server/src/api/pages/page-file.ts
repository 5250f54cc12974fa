import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isCached } from './not-modified.ts'

/** A file that is kept in memory, ready to be sent. */
export interface PageFile {
  headers: Record<string, string>
  etag: string
  forms: FileForms
}

export interface FileForms {
  identity: Buffer
  br: Buffer | null
  gzip: Buffer | null
}

export function pageFile(type: string, forms: FileForms, headers: Record<string, string>): PageFile {
  const etag = `"${createHash('sha256').update(forms.identity).digest('base64url').slice(0, 22)}"`
  return {
    etag,
    forms,
    headers: {
      ETag: etag,
      Vary: 'Accept-Encoding',
      'Content-Type': /^text\/|javascript/.test(type) ? `${type}; charset=utf-8` : type,
      ...headers,
    },
  }
}

export function sendPageFile(file: PageFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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

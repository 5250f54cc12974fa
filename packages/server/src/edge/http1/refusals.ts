import { METHODS, STATUS_CODES } from 'node:http'
import { methodNotAllowedPage } from '../assets/pages.ts'
import { type Reply, withoutBody } from '../assets/reply.ts'
import type { RequestHead } from './request-head.ts'

/** Requests that no site answers, in one line of plain text. The connection ends with each of them. */
export type RefusalStatus = 400 | 408 | 413 | 417 | 431 | 501 | 505

export function refusal(status: RefusalStatus): Reply {
  const bytes = Buffer.from(`${status} ${STATUS_CODES[status]}\n`)
  return {
    status,
    headers: [
      ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(bytes.length)],
      ...['Connection', 'close'],
    ],
    body: { kind: 'bytes', bytes },
  }
}

const knownMethods: ReadonlySet<string> = new Set(METHODS)

/** The answer to a request that no site answers, whatever its host and path. */
export function refusalOf({ method, hasBody, expect }: RequestHead): Reply | null {
  if (method === 'GET' || method === 'HEAD') {
    if (hasBody) return forMethod(method, refusal(413))
    // RFC 9110, 10.1.1. Without a body there is nothing to continue with.
    return expect === undefined || expect.toLowerCase() === '100-continue'
      ? null
      : forMethod(method, refusal(417))
  }
  if (!knownMethods.has(method)) return refusal(501)
  return method === 'CONNECT' ? methodNotAllowedPage : null
}

export function forMethod(method: string, reply: Reply): Reply {
  return method === 'HEAD' ? withoutBody(reply) : reply
}

/** The host in the part of a malformed head that was received; null if there is none, or several. */
export function hostIn(text: string): string | null {
  const lines = text.matchAll(/^host:(.*)$/gim)
  const hosts = new Set(Array.from(lines, ([, host = '']) => host.trim().toLowerCase()))
  const [host = null] = hosts
  return hosts.size === 1 ? host : null
}

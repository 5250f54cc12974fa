import type { Clock } from '../../kernel/clock.ts'
import { AcmeProblem } from './problem.ts'
import { isAcmeUrl, retryAfter } from './response-fields.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface AcmeRequest {
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  /** A signed JSON body. */
  body?: string
  accept?: string
}

export interface AcmeResponse {
  url: string
  status: number
  headers: Headers
  body: string
  retryAt: number | null
}

export type Exchange = (request: AcmeRequest) => Promise<AcmeResponse>

const largestResponse = 256 * 1024

/** Sends one request and returns its response, whatever the status. Limits time and size; follows no redirects. */
export function createExchange({
  fetch,
  now,
  timeoutMs,
}: {
  fetch: Fetch
  now: Clock
  timeoutMs: number
}): Exchange {
  return async ({ method, url, body, accept = 'application/json' }) => {
    if (!isAcmeUrl(url)) throw new AcmeProblem('invalid_answer', `${url.slice(0, 200)} is not an https URL`)
    const headers: Record<string, string> = {
      Accept: accept,
      'Accept-Language': 'en',
      'User-Agent': 'Masthead',
    }
    if (body !== undefined) headers['Content-Type'] = 'application/jose+json'
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal })
      return {
        url,
        status: response.status,
        headers: response.headers,
        body: await readBounded(response, url),
        retryAt: retryAfter(response.headers.get('retry-after'), now()),
      }
    } catch (cause) {
      if (cause instanceof AcmeProblem) throw cause
      const mayBeDone = method === 'POST' && wasConnectionLost(cause)
      const message = `${new URL(url).origin} cannot be reached: ${reason(cause)}`
      throw new AcmeProblem('unreachable', message, { cause, mayBeDone })
    }
  }
}

async function readBounded(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > largestResponse) throw new AcmeProblem('invalid_answer', `The response of ${url} is too large`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Errors after which the CA may still have received the request. */
const connectionLosses: readonly unknown[] = [
  'TimeoutError',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]

function wasConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return (
    connectionLosses.includes(error.name) || connectionLosses.includes(code) || wasConnectionLost(error.cause)
  )
}

/** Node's fetch only says "fetch failed"; the reason is in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

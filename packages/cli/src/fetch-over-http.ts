import type { ClientRequest, IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import type { AnyFetch, FetchedAnswer, FetchInit } from '@masthead/client/request.ts'
import manifest from '../package.json' with { type: 'json' }

/** An import would read all exports, and with WebSocket node loads its fetch. */
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http')

const connectMs = 10_000
/** Of a connection on which an answer is awaited. */
const silenceMs = 300_000
const maxRedirects = 5
/** Several times as much as any answer of the API has. */
const maxAnswerBytes = 16 * 1024 ** 2

/** Loading Node's own `fetch` takes as long as all other work of a short command. */
export const fetchOverHttp: AnyFetch = async (url, init = {}) => {
  let reply = await send(url, init)
  for (let redirects = 0; redirects < maxRedirects; redirects++) {
    const next = redirected(url, init, reply)
    if (next === null) break
    // Its body may be endless.
    reply.message.destroy()
    url = next.url
    init = next.init
    reply = await send(url, init)
  }
  return reply
}

/** Where an answer leads to; null if it is the last one. */
function redirected(
  from: URL,
  init: FetchInit,
  { status, headers: { get } }: FetchedAnswer,
): { url: URL; init: FetchInit } | null {
  const location = get('location')
  if (![301, 302, 303, 307, 308].includes(status) || location === null || !URL.canParse(location, from))
    return null
  const url = new URL(location, from)
  if (!/^https?:$/.test(url.protocol) || init.body instanceof ReadableStream) return null
  const { authorization, 'content-type': type, ...others } = init.headers ?? {}
  const headers = { ...others, ...(mayHaveSecrets(url, from) && authorization && { authorization }) }
  const { method = 'GET' } = init
  const becomesGet = status === 303 ? !/^(?:GET|HEAD)$/.test(method) : status < 303 && method === 'POST'
  if (becomesGet)
    return { url, init: { method: 'GET', headers, ...(init.signal && { signal: init.signal }) } }
  return { url, init: { ...init, headers: { ...headers, ...(type && { 'content-type': type }) } } }
}

/** Secrets are for the origin that they were meant for, and for its host once it asks for encryption. */
function mayHaveSecrets(url: URL, from: URL): boolean {
  const isUpgrade = from.protocol === 'http:' && url.protocol === 'https:' && url.hostname === from.hostname
  return isUpgrade || url.origin === from.origin
}

async function send(url: URL, init: FetchInit): Promise<HttpReply> {
  const { method = 'GET', headers, body, signal } = init
  signal?.throwIfAborted()
  const start = url.protocol === 'https:' ? (await import('node:https')).request : http.request
  const request = start(url, {
    method,
    headers: { 'user-agent': `masthead/${manifest.version}`, ...headers },
    timeout: silenceMs,
    ...(signal !== undefined && { signal }),
  })
  const answered = new Promise<HttpReply>((resolve, reject) => {
    request.once('response', (message) => resolve(new HttpReply(message)))
    // Once it has answered, a server need not read the rest of what is sent.
    request.on('error', (error) => reject(signal?.aborted ? signal.reason : error))
  })
  endIfSilent(request)
  write(request, body)
  return answered
}

function endIfSilent(request: ClientRequest): void {
  const end = () => void request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
  request.once('timeout', end)
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(end, connectMs)
    const connected = () => clearTimeout(timer)
    socket.once('connect', connected).once('close', connected)
  })
}

function write(request: ClientRequest, body: FetchInit['body']): void {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    request.end(body)
    return
  }
  if (body instanceof Blob) request.setHeader('content-length', body.size)
  const bytes = Readable.from(body instanceof Blob ? body.stream() : body)
  // What cannot be read must not look as if it had ended.
  bytes.once('error', (error) => request.destroy(error)).pipe(request)
  request.once('close', () => bytes.destroy())
}

class HttpReply implements FetchedAnswer {
  readonly message: IncomingMessage
  readonly status: number
  readonly ok: boolean
  readonly headers: FetchedAnswer['headers']

  constructor(message: IncomingMessage) {
    this.message = message
    this.status = message.statusCode ?? 0
    this.ok = this.status >= 200 && this.status < 300
    this.headers = {
      get(name) {
        const value = message.headers[name.toLowerCase()]
        return value === undefined ? null : String(value)
      },
    }
  }

  get body(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.message) as ReadableStream<Uint8Array>
  }

  /** What is beyond any answer of the API is left out, because it may be endless. */
  async text(): Promise<string> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of this.message as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxAnswerBytes) break
    }
    return new TextDecoder().decode(Buffer.concat(chunks))
  }
}

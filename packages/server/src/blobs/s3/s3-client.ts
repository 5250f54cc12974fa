import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import type { S3Settings } from '../../config/s3-values.ts'
import { createSemaphore } from '../../kernel/semaphore.ts'
import { objectUrl } from './object-url.ts'
import { withRetries } from './retry.ts'
import { S3ConnectionError, S3Error } from './s3-error.ts'
import type { S3Limits } from './s3-limits.ts'
import { xmlText } from './xml.ts'

/** Opened again for every attempt. */
export interface S3Body {
  sha256: string
  size: number
  open(): Uint8Array | Readable
}

export interface S3Request {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below the prefix; null for the bucket. */
  key: string | null
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: S3Body
  signal?: AbortSignal | undefined
  /** Zero: a single attempt. */
  retryMs?: number
  /** S3 itself refuses it after this time, however late it arrives. For requests without a body. */
  deadline?: number | undefined
}

export interface S3Client {
  /**
   * Sends the request until it succeeds and `receive` has taken its response, or until it is no use. Throws an S3Error
   * for any status but 2xx, and an S3ConnectionError where there was no response or not all of it.
   */
  request<T>(request: S3Request, receive: (response: IncomingMessage) => Promise<T>): Promise<T>
  /** The same up to the head of the response. The caller reads or destroys it. */
  open(request: S3Request): Promise<IncomingMessage>
}

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
/** More of a document is not read. A list of a thousand uploads has about 700 KB. */
const maxDocumentBytes = 2 * 1024 * 1024

export function createS3Client(settings: S3Settings, limits: S3Limits): S3Client {
  const { http: wire, agent } = openAgent(settings.endpoint)
  const slots = { reads: createSemaphore(limits.reads), writes: createSemaphore(limits.writes) }
  /** Derived keys of the day, by aws4fetch. */
  const cache = new Map<string, ArrayBuffer>()

  async function sign({
    method,
    key,
    query,
    headers,
    body,
    deadline,
  }: S3Request): Promise<[URL, http.OutgoingHttpHeaders]> {
    const url = objectUrl(settings, key, query)
    const { accessKeyId, secretAccessKey, sessionToken, region } = settings
    if (cache.size > 8) cache.clear()
    const expires = deadline !== undefined
    if (expires) url.searchParams.set('X-Amz-Expires', secondsUntil(deadline))
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: {
        ...headers,
        ...(!expires && { 'x-amz-content-sha256': body?.sha256 ?? emptySha256 }),
      },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== null && { sessionToken }),
      service: 's3',
      region,
      cache,
      // Only a signature in the address can expire. It does not cover a body.
      signQuery: expires,
    })
    const signed = await signer.sign()
    return [signed.url, { ...Object.fromEntries(signed.headers), 'content-length': body?.size ?? 0 }]
  }

  async function send(request: S3Request): Promise<IncomingMessage> {
    const [url, headers] = await sign(request)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const { method, body, signal } = request
    const outgoing = wire.request(url, { method, headers, agent, ...(signal && { signal }) })
    const fail = (error: Error) => {
      if (signal?.aborted) reject(signal.reason)
      else reject(toConnectionError(error))
    }
    let { silenceMs } = limits
    const waitFor = (ms: number) => {
      silenceMs = ms
      outgoing.setTimeout(ms)
    }
    outgoing.on('response', (response) => {
      waitFor(limits.silenceMs)
      resolve(response)
    })
    outgoing.on('error', fail)
    outgoing.setTimeout(silenceMs, () => {
      outgoing.destroy(new S3ConnectionError(`S3 was silent for ${silenceMs} ms`))
      closeIdle(agent)
    })
    outgoing.on('socket', (socket) => {
      if (method === 'GET' && outgoing.reusedSocket) waitFor(Math.min(limits.reusedSilenceMs, silenceMs))
      if (!socket.connecting) return
      const timer = setTimeout(
        () => outgoing.destroy(new S3ConnectionError(`S3 accepted no connection for ${limits.connectMs} ms`)),
        limits.connectMs,
      )
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
    })
    const content = body?.open()
    if (content === undefined || content instanceof Uint8Array) outgoing.end(content)
    else {
      content.on('error', reject)
      pipeline(content, outgoing, () => {})
    }
    return promise
  }

  /** The response of a success. The body of anything else is read. */
  async function attemptToOpen(request: S3Request): Promise<IncomingMessage> {
    const response = await send(request)
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return response
    const document = await readDocument(response).catch(() => '')
    if (!response.complete || !isSent(response)) response.destroy()
    throw new S3Error(describe(request), status, (xmlText(document, 'Code') ?? '').slice(0, 100))
  }

  async function attempt<T>(
    request: S3Request,
    receive: (response: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    const response = await attemptToOpen(request)
    try {
      return await receive(response)
    } catch (error) {
      request.signal?.throwIfAborted()
      throw isSocketError(error) ? toConnectionError(error) : error
    } finally {
      // Only what was read to its end can serve the next request.
      if (!response.complete || !isSent(response)) response.destroy()
    }
  }

  async function acquire(request: S3Request, retryMs: number): Promise<() => void> {
    const slot = request.method === 'GET' ? slots.reads : slots.writes
    return slot.acquire(retryMs + limits.silenceMs, request.signal).catch((error: unknown) => {
      request.signal?.throwIfAborted()
      throw new S3ConnectionError('Too many requests to S3 at the same time', { cause: error })
    })
  }

  const retryMsOf = ({ method, retryMs }: S3Request) =>
    retryMs ?? (method === 'GET' ? limits.retryReadsMs : limits.retryWritesMs)

  return {
    async request(request, receive) {
      const retryMs = retryMsOf(request)
      const release = await acquire(request, retryMs)
      try {
        return await withRetries(() => attempt(request, receive), retryMs, request.signal)
      } finally {
        release()
      }
    },
    async open(request) {
      const retryMs = retryMsOf(request)
      const release = await acquire(request, retryMs)
      try {
        const response = await withRetries(() => attemptToOpen(request), retryMs, request.signal)
        if (response.closed) release()
        else response.once('close', release)
        return response
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/** Reads a small XML document. */
export async function readDocument(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size > maxDocumentBytes) throw new S3ConnectionError('S3 sent a document that is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** S3 may answer before it has read all of a body. The rest of it must not follow. */
function isSent(response: IncomingMessage): boolean {
  const { req } = response as IncomingMessage & { req: http.ClientRequest }
  return req.writableFinished
}

export async function ignoreBody(response: IncomingMessage): Promise<void> {
  await readDocument(response)
}

function openAgent(endpoint: string): { http: typeof http | typeof https; agent: http.Agent } {
  const options = { keepAlive: true, maxFreeSockets: 64, timeout: 60_000 }
  return endpoint.startsWith('https:')
    ? { http: https, agent: new https.Agent(options) }
    : { http, agent: new http.Agent(options) }
}

/** If the way forgot one connection, it has probably forgotten them all, and a request would wait for each of them. */
function closeIdle({ freeSockets }: http.Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

function secondsUntil(deadline: number): string {
  const seconds = Math.floor((deadline - Date.now()) / 1_000)
  if (seconds < 1) throw new S3ConnectionError('There was no time left for a request to S3')
  return String(seconds)
}

function describe({ method, key, query = {} }: S3Request): string {
  const names = Object.keys(query)
  return `${method} ${key ?? 'the bucket'}${names.length > 0 ? `?${names.join('&')}` : ''}`
}

/** Errors of sockets have a code; so have those of files, which come from elsewhere. */
function isSocketError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code !== 'ABORT_ERR'
}

function toConnectionError(error: Error): Error {
  if (error instanceof S3ConnectionError) return error
  const { code = '' } = error as NodeJS.ErrnoException
  return new S3ConnectionError(`The connection to S3 failed: ${code || error.message}`, { cause: error })
}

import { once } from 'node:events'
import http, {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { Transform, type TransformCallback } from 'node:stream'

/** What happens to a request on its way. `after` counts bytes of the body; 0 cuts before the head. */
export type Fault =
  | { kind: 'answer'; status: number; code?: string }
  | { kind: 'silence' }
  | { kind: 'cut request' | 'cut response'; after: number }
  | { kind: 'corrupt request' | 'corrupt response' }
  | { kind: 'call'; run: () => unknown }
  | { kind: 'stall response'; after: number; run: () => unknown }

export interface FaultRule {
  fault: Fault
  times: number
  matches: (method: string, path: string) => boolean
}

export interface FaultProxy extends AsyncDisposable {
  url: string
  /** Method and path of every request, in the order of their arrival. */
  readonly requests: string[]
  /** Troubles the next requests, or those of them that match. */
  next(fault: Fault, options?: { times?: number; matches?: FaultRule['matches'] }): void
  /** Nothing is troubled any more. */
  mend(): void
}

/**
 * An HTTP server in front of another that passes everything on, except where a test asks for a fault. With a
 * certificate it speaks HTTPS, as localhost.
 */
export async function startFaultProxy(
  target: string,
  certificate?: { key: string; cert: string },
): Promise<FaultProxy> {
  let rules: FaultRule[] = []
  const requests: string[] = []
  const agent = new http.Agent({ keepAlive: true })
  const take = (method: string, path: string): Fault | null => {
    const rule = rules.find(({ times, matches }) => times > 0 && matches(method, path))
    if (rule === undefined) return null
    rule.times--
    return rule.fault
  }
  const listener: RequestListener = (request, response) => {
    const { method = '', url = '' } = request
    requests.push(`${method} ${url}`)
    const fault = take(method, url)
    request.on('error', () => {})
    response.on('error', () => {})
    if (fault?.kind === 'silence') return
    if (fault?.kind === 'answer') return answer(request, response, fault.status, fault.code)
    if (fault?.kind === 'call') fault.run()
    forward(request, response, { target, agent, fault })
  }
  const server =
    certificate === undefined ? createServer(listener) : https.createServer(certificate, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: certificate === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    requests,
    next: (fault, { times = 1, matches = () => true } = {}) => void rules.push({ fault, times, matches }),
    mend() {
      rules = []
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, code = 'Trouble'): void {
  request.resume()
  response.writeHead(status, { 'Content-Type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Trouble</Message></Error>`)
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, agent, fault }: { target: string; agent: http.Agent; fault: Fault | null },
): void {
  const { method, url = '', rawHeaders } = request
  // The headers as they are: the signature covers the host.
  const outgoing = http.request(`${target}${url}`, { method, headers: pairs(rawHeaders), agent })
  const breakOff = () => {
    request.socket.destroy()
    outgoing.destroy()
  }
  outgoing.on('error', breakOff)
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy()
  })
  through(request, fault, 'request', breakOff).pipe(outgoing)
  outgoing.on('response', (incoming) => {
    incoming.on('error', breakOff)
    if (fault?.kind === 'cut response' && fault.after === 0) return breakOff()
    response.writeHead(incoming.statusCode ?? 500, pairs(incoming.rawHeaders))
    through(incoming, fault, 'response', breakOff).pipe(response)
  })
}

function through(
  source: IncomingMessage,
  fault: Fault | null,
  side: 'request' | 'response',
  breakOff: () => void,
): NodeJS.ReadableStream {
  if (fault?.kind === `cut ${side}` && 'after' in fault) return source.pipe(cutAfter(fault.after, breakOff))
  if (fault?.kind === `corrupt ${side}`) return source.pipe(corrupt())
  if (fault?.kind === 'stall response' && side === 'response')
    return source.pipe(stallAfter(fault.after, fault.run))
  return source
}

function cutAfter(bytes: number, breakOff: () => void): Transform {
  let left = bytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const some = chunk.subarray(0, left)
      left -= some.length
      done(null, some)
      // After what came before has left.
      if (left === 0) setImmediate(breakOff)
    },
  })
}

/** Passes on so many bytes, calls, and never goes on. */
function stallAfter(bytes: number, run: () => unknown): Transform {
  let left = bytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      this.push(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) done()
      else setImmediate(run)
    },
  })
}

function corrupt(): Transform {
  let isDone = false
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const copy = Buffer.from(chunk)
      if (!isDone) copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1
      isDone = true
      done(null, copy)
    },
  })
}

function pairs(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers[rawHeaders[i] ?? ''] = rawHeaders[i + 1] ?? ''
  return headers
}

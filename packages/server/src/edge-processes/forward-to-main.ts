import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { problemDocument } from '../api/problem-response.ts'
import { canonicalTarget } from '../api/request/normalize-request.ts'
import { callerUnlessProxy } from '../edge/accept/trusted-proxies.ts'
import { unavailablePage } from '../edge/assets/pages.ts'
import { ResponseCounts } from '../edge/response-counts.ts'
import { FairSemaphore } from '../kernel/fair-queue.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { dropRequest } from '../kernel/sockets/cut-off.ts'
import {
  forwardedRequestHeaders,
  forwardedResponseHeaders,
  hasBody,
  noAnswerStatus,
  writePreface,
} from './forwarding-protocol.ts'

/** For when the main process is down: a problem document for the API, a page for everything else. */
function answerUnavailable(req: IncomingMessage, res: ServerResponse, responses: ResponseCounts): void {
  responses.count(unavailablePage.status)
  if (!canonicalTarget(req.url ?? '').startsWith('/v1/')) {
    const { status, headers, body } = unavailablePage
    res.writeHead(status, headers)
    res.end(body.kind === 'bytes' ? body.bytes : undefined)
    return
  }
  const id = newId('request', Date.now())
  const problem = new Problem('unavailable', 'The API is not responding. Try again in a second.')
  const document = JSON.stringify(problemDocument(problem, id))
  res.writeHead(problem.status, [
    ...['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(document))],
    ...['Cache-Control', 'no-store', 'Retry-After', '1', 'X-Request-Id', id],
  ])
  res.end(document)
}

export interface ForwarderParts {
  platformSocket: string
  /** Requests forwarded at once, of which each caller has a share. Each takes a connection in both processes. */
  maxConcurrent?: number
  isProxy?: (address: string) => boolean
  /** Only of answers without the main process, which counts its own. */
  responses?: ResponseCounts
  log: { warn(details: object, message: string): void }
}

/**
 * Forwards requests to the main process as streams. Each client connection gets its own connections there, which start
 * with the client's address and end with the client: whatever it sends, it cannot get into another client's request.
 */
export function createForwarder({
  platformSocket,
  maxConcurrent = 2_048,
  isProxy = () => false,
  responses = new ResponseCounts(),
  log,
}: ForwarderParts): (req: IncomingMessage, res: ServerResponse) => void {
  const agents = new WeakMap<Socket, Agent>()
  const running = new FairSemaphore(maxConcurrent)
  return forward

  function forward(req: IncomingMessage, res: ServerResponse): void {
    const agent = agentOf(req.socket)
    if (agent === null) {
      res.destroy()
      return
    }
    const caller = callerUnlessProxy(req.socket.remoteAddress ?? '', isProxy)
    if (!running.tryAcquire(caller)) {
      answerUnavailable(req, res, responses)
      return
    }
    const { method = 'GET', url: path = '/' } = req
    let isDropped = false
    const forwarded = request({ agent, method, path, headers: forwardedRequestHeaders(req) })
    forwarded.on('continue', () => {
      if (req.httpVersionMajor === 1) res.writeContinue()
    })
    forwarded.on('response', (answer) => {
      if (answer.statusCode === noAnswerStatus) {
        isDropped = true
        running.release(caller)
        answer.resume()
        req.unpipe(forwarded)
        dropRequest(req)
        return
      }
      if (!req.complete) {
        // The request was refused, so nobody reads the rest of it.
        req.unpipe(forwarded)
        res.once('finish', () => forwarded.destroy())
      }
      res.writeHead(answer.statusCode ?? 502, forwardedResponseHeaders(answer, req))
      // `pipeline` would add seven listeners to a response that has some, and Node warns from the eleventh on.
      answer.once('error', () => res.destroy())
      answer.pipe(res)
    })
    forwarded.on('error', (error) => {
      if (isDropped || res.destroyed || res.writableEnded) return
      log.warn({ err: error }, 'the main process is not responding')
      if (res.headersSent) res.destroy()
      else answerUnavailable(req, res, responses)
    })
    res.once('close', () => {
      if (!isDropped) running.release(caller)
      if (!res.writableFinished) forwarded.destroy()
    })
    if (req.headers.expect !== undefined) forwarded.flushHeaders()
    if (hasBody(req)) req.pipe(forwarded)
    else forwarded.end()
  }

  function agentOf(socket: Socket): Agent | null {
    const known = agents.get(socket)
    if (known !== undefined) return known
    if (socket.remoteAddress === undefined) return null
    const scheme = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http'
    const agent = new PrefacedAgent(platformSocket, writePreface({ scheme, address: socket.remoteAddress }))
    agents.set(socket, agent)
    socket.once('close', () => agent.destroy())
    return agent
  }
}

/**
 * Concurrent requests per client connection; more wait. Enough for all the change streams one caller may keep open, plus
 * requests beside them.
 */
const maxSockets = 32

class PrefacedAgent extends Agent {
  readonly #path: string
  readonly #preface: string

  constructor(path: string, preface: string) {
    // Or a client could keep a descriptor in both processes busy for as long as it likes.
    super({ keepAlive: false, maxSockets })
    this.#path = path
    this.#preface = preface
  }

  override createConnection(): Duplex {
    const socket = connect(this.#path)
    socket.write(this.#preface)
    return socket
  }
}

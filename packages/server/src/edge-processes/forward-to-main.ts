import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { problemDocument } from '../api/problem-response.ts'
import { canonicalTarget } from '../api/request/normalize-request.ts'
import { callerUnlessProxy } from '../edge/accept/trusted-proxies.ts'
import { unavailablePage } from '../edge/assets/pages.ts'
import { FairShare } from '../kernel/fair-queue.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import {
  forwardedRequestHeaders,
  forwardedResponseHeaders,
  hasBody,
  writePreface,
} from './forwarding-protocol.ts'

/** What the dashboard's host answers while the process behind it is away: to programs in their way, to people in ours. */
function answerUnavailable(req: IncomingMessage, res: ServerResponse): void {
  if (!canonicalTarget(req.url ?? '').startsWith('/v1/')) {
    const { status, headers, body } = unavailablePage
    res.writeHead(status, headers)
    res.end(body.kind === 'bytes' ? body.bytes : undefined)
    return
  }
  const id = newId('request', Date.now())
  const away = new Problem('unavailable', 'The API does not answer.')
  const document = JSON.stringify(problemDocument(away, id))
  res.writeHead(away.status, [
    ...['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(document))],
    ...['Cache-Control', 'no-store', 'Retry-After', '1', 'X-Request-Id', id],
  ])
  res.end(document)
}

export interface ForwarderParts {
  platformSocket: string
  /** Requests at one time, of which a caller has a share. Each is a connection here and in the main process. */
  mostAtOnce?: number
  isProxy?: (address: string) => boolean
  log: { warn(details: object, message: string): void }
}

/**
 * Passes requests on to the main process, and its answers back, as streams. Each client connection has connections of
 * its own there, which begin with who it is and end with it at the latest: whatever a client sends, it cannot get into
 * somebody else's request.
 */
export function createForwarder({
  platformSocket,
  mostAtOnce = 2_048,
  isProxy = () => false,
  log,
}: ForwarderParts): (req: IncomingMessage, res: ServerResponse) => void {
  const agents = new WeakMap<Socket, Agent>()
  const running = new FairShare(mostAtOnce)
  return passOn

  function passOn(req: IncomingMessage, res: ServerResponse): void {
    const agent = agentOf(req.socket)
    if (agent === null) {
      res.destroy()
      return
    }
    const caller = callerUnlessProxy(req.socket.remoteAddress ?? '', isProxy)
    if (!running.enter(caller)) {
      answerUnavailable(req, res)
      return
    }
    res.once('close', () => running.leave(caller))
    const { method = 'GET', url: path = '/' } = req
    const passed = request({ agent, method, path, headers: forwardedRequestHeaders(req) })
    passed.on('continue', () => {
      if (req.httpVersionMajor === 1) res.writeContinue()
    })
    passed.on('response', (answer) => {
      if (!req.complete) {
        // It was refused: nobody reads the rest of it.
        req.unpipe(passed)
        res.once('finish', () => passed.destroy())
      }
      res.writeHead(answer.statusCode ?? 502, forwardedResponseHeaders(answer, req))
      pipeline(answer, res, () => {})
    })
    passed.on('error', (error) => {
      if (res.destroyed || res.writableEnded) return
      log.warn({ err: error }, 'the main process did not answer')
      if (res.headersSent) res.destroy()
      else answerUnavailable(req, res)
    })
    res.on('close', () => {
      if (!res.writableFinished) passed.destroy()
    })
    if (req.headers.expect !== undefined) passed.flushHeaders()
    if (hasBody(req)) req.pipe(passed)
    else passed.end()
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
 * Requests of one client connection that run at the same time; more wait for their turn. There is room for as many
 * streams of changes as one caller may keep open, and for requests beside them.
 */
const atOnce = 32

class PrefacedAgent extends Agent {
  readonly #path: string
  readonly #introduction: string

  constructor(path: string, introduction: string) {
    // An idle connection would hold a descriptor in both processes for as long as its client likes.
    super({ keepAlive: false, maxSockets: atOnce })
    this.#path = path
    this.#introduction = introduction
  }

  override createConnection(): Duplex {
    const socket = connect(this.#path)
    socket.write(this.#introduction)
    return socket
  }
}

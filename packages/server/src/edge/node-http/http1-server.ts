import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeLingering } from '../sockets/close-connection.ts'
import { HeldInput } from './held-input.ts'
import { ObservedResponse } from './observed-response.ts'
import type { ReadInTurn } from './platform-queue.ts'

/** node:http for connections that are handed to it. */
export interface Http1Server {
  readonly server: Server
  accept(socket: Duplex): void
  /** From now on the last pending answer of each connection says `Connection: close`. */
  drain(): void
  /** Ends connections without a complete request head now, others after their last answer. */
  close(): void
  /** Resolves when every connection is closed, also those that `others` accepted. */
  stopListening(others: readonly NetServer[]): Promise<void>
}

interface Connection {
  /** In order. An array: each request on a kept connection would give a Set a new table, which lives long. */
  pendingAnswers: ServerResponse[]
  input: HeldInput
  /** Listens to each answer for its end. The same function for all: one for each request would be garbage. */
  onAnswered(this: ServerResponse): void
}

const noTunnel = [
  'HTTP/1.1 405 Method Not Allowed',
  'Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Content-Length: 0',
  'Connection: close',
  '\r\n',
].join('\r\n')

export function createHttp1Server(
  options: ServerOptions,
  handle: RequestListener,
  readInTurn: ReadInTurn = readNow,
): Http1Server {
  const connections = new Map<Duplex, Connection>()
  let stage: 'open' | 'draining' | 'closing' = 'open'

  class Response<Request extends IncomingMessage> extends ObservedResponse<Request> {
    protected override beforeHead(): void {
      if (stage !== 'open' && isLast(this)) this.shouldKeepAlive = false
    }
  }

  const answer: RequestListener = (req, res) => {
    follow(req.socket, res)
    handle(req, res)
  }
  const server = createServer({ ...options, ServerResponse: Response }, answer)
  // The handler decides whether to ask for the body, and whether it can meet other expectations.
  server.on('checkContinue', answer)
  server.on('checkExpectation', answer)
  // Nothing here is a tunnel. Without a listener node:http would close the connection without a word.
  server.on('connect', (_req, socket) => {
    if ((connections.get(socket)?.pendingAnswers.length ?? 0) === 0) socket.write(noTunnel)
    connections.get(socket)?.input.stop()
    closeLingering(socket)
  })
  const toServer = server.listeners('connection') as ((socket: Duplex) => void)[]
  server.removeAllListeners('connection')

  function follow(socket: Duplex, res: ServerResponse): void {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connection.pendingAnswers.push(res)
    res.on('close', connection.onAnswered)
  }

  /** No request behind it would be lost with the connection. */
  function isLast(res: ServerResponse): boolean {
    return connections.get(res.req.socket)?.pendingAnswers.at(-1) === res
  }

  return {
    server,
    accept(socket) {
      const pendingAnswers = [] as ServerResponse[]
      const input = new HeldInput(socket, () => {
        for (const listener of toServer) listener.call(server, socket)
      })
      connections.set(socket, {
        pendingAnswers,
        input,
        onAnswered() {
          pendingAnswers.splice(pendingAnswers.indexOf(this), 1)
          if (stage === 'closing' && pendingAnswers.length === 0) closeLingering(socket)
        },
      })
      socket.once('close', () => connections.delete(socket))
      const onArrival = readInTurn(socket, input.readHeld)
      socket.on('data', (chunk: Buffer) => {
        // The rest of a request is part of what its start has cost.
        if (pendingAnswers.length > 0 || input.isHeld) input.read(chunk)
        else {
          input.hold(chunk)
          onArrival()
        }
      })
    },
    drain() {
      stage = 'draining'
    },
    close() {
      stage = 'closing'
      for (const [socket, { pendingAnswers, input }] of connections) {
        input.readHeld()
        if (pendingAnswers.length === 0) socket.destroy()
      }
    },
    async stopListening(others) {
      // http.Server's own `close` would end idle connections immediately, even those it did not accept.
      await Promise.all([server, ...others].map(closed))
      // Stops the interval that checks for slow requests.
      server.close(() => {})
    },
  }
}

/** Stops listening, and resolves when every connection that it accepted is closed. */
function closed(server: NetServer): Promise<unknown> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
}

function readNow(_socket: Duplex, read: () => void): () => void {
  return read
}

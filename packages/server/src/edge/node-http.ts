import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeLingering } from './lingering-close.ts'
import { readInPieces } from './read-in-pieces.ts'

/** The way of requests through node:http, which knows of a connection only once it is given to it. */
export interface NodeHttp {
  readonly server: Server
  take(socket: Duplex): void
  /** From now on the last answer that a connection has coming says `Connection: close`. */
  drain(): void
  /** Ends connections without a request, or with a part of its head; others after what they are answered. */
  close(): void
  /** Resolves when nothing is accepted any more and every connection is closed. */
  stopListening(): Promise<void>
}

export function createNodeHttp(options: ServerOptions, handle: RequestListener): NodeHttp {
  /** What each connection has coming, in the order in which it was asked for. */
  const running = new Map<Duplex, Set<ServerResponse>>()
  let stage: 'open' | 'draining' | 'closing' = 'open'

  class Response extends ServerResponse {
    // `writeHead` has several signatures, and node itself calls it where nobody else did.
    override writeHead(...args: unknown[]): this {
      if (stage !== 'open' && isLast(this)) this.shouldKeepAlive = false
      return Reflect.apply(super.writeHead, this, args)
    }
  }

  const server = createServer({ ...options, ServerResponse: Response }, (req, res) => {
    follow(req.socket, res)
    handle(req, res)
  })
  const toServer = server.listeners('connection') as ((socket: Duplex) => void)[]
  server.removeAllListeners('connection')

  function follow(socket: Duplex, res: ServerResponse): void {
    const own = running.get(socket)
    own?.add(res)
    res.once('close', () => {
      own?.delete(res)
      if (stage === 'closing' && own?.size === 0) closeLingering(socket)
    })
  }

  /** Behind it nothing was asked that would be lost with the connection. */
  function isLast(res: ServerResponse): boolean {
    return [...(running.get(res.req.socket) ?? [])].at(-1) === res
  }

  return {
    server,
    take(socket) {
      running.set(socket, new Set())
      socket.once('close', () => running.delete(socket))
      for (const listener of toServer) listener.call(server, socket)
      readInPieces(socket)
    },
    drain() {
      stage = 'draining'
    },
    close() {
      stage = 'closing'
      for (const [socket, own] of running) if (own.size === 0) socket.destroy()
    },
    async stopListening() {
      // By http.Server's own `close` idle connections would end at once.
      await new Promise<unknown>((resolve) => NetServer.prototype.close.call(server, resolve))
      // It has stopped listening, but still looks for slow requests.
      server.close(() => {})
    },
  }
}

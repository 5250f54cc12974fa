import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeLingering, isCutOff } from '../accept/close-connection.ts'

/** The way of requests through node:http, which knows of a connection only once it is given to it. */
export interface Http1Server {
  readonly server: Server
  take(socket: Duplex): void
  /** From now on the last answer that a connection has coming says `Connection: close`. */
  drain(): void
  /** Ends connections without a request, or with a part of its head; others after what they are answered. */
  close(): void
  /** Resolves when nothing is accepted any more and every connection is closed. */
  stopListening(): Promise<void>
}

export function createHttp1Server(options: ServerOptions, handle: RequestListener): Http1Server {
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

const endOfHead = Buffer.from('\r\n\r\n')

/** Heads, or what looks like the end of one, in a piece. */
const headsPerPiece = 16

/**
 * Gives what arrives on a connection to its readers in pieces of a few requests, and nothing more once the client is cut
 * off: node:http makes a request and a response of every head in a chunk, a thousand of them in 64 KiB, even
 * where the first few were reason enough to cut the client off.
 */
function readInPieces(socket: Duplex): void {
  const readers = socket.listeners('data') as ((piece: Buffer) => void)[]
  for (const reader of readers) socket.off('data', reader)
  socket.on('data', (chunk: Buffer) => {
    for (const piece of splitAfterHeads(chunk)) {
      if (isCutOff(socket)) {
        // node:http resumes a request that was answered before its body was read.
        socket.pause()
        return
      }
      for (const reader of readers) reader.call(socket, piece)
    }
  })
}

export function* splitAfterHeads(chunk: Buffer): Generator<Buffer> {
  let from = 0
  let heads = 0
  for (let at = chunk.indexOf(endOfHead); at !== -1; at = chunk.indexOf(endOfHead, at + endOfHead.length)) {
    heads++
    if (heads % headsPerPiece !== 0) continue
    yield chunk.subarray(from, at + endOfHead.length)
    from = at + endOfHead.length
  }
  if (from < chunk.length) yield chunk.subarray(from)
}

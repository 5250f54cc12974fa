import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeLingering, isCutOff } from '../sockets/close-connection.ts'

/** node:http for connections that are handed to it. */
export interface Http1Server {
  readonly server: Server
  accept(socket: Duplex): void
  /** From now on the last pending answer of each connection says `Connection: close`. */
  drain(): void
  /** Ends connections without a complete request head now, others after their last answer. */
  close(): void
  /** Resolves when every connection is closed. */
  stopListening(): Promise<void>
}

const noTunnel = [
  'HTTP/1.1 405 Method Not Allowed',
  'Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Content-Length: 0',
  'Connection: close',
  '\r\n',
].join('\r\n')

export function createHttp1Server(options: ServerOptions, handle: RequestListener): Http1Server {
  /** The pending answers of each connection, in order. */
  const running = new Map<Duplex, Set<ServerResponse>>()
  let stage: 'open' | 'draining' | 'closing' = 'open'

  class Response extends ServerResponse {
    // Node itself calls `writeHead` if nobody else did.
    override writeHead(...args: unknown[]): this {
      if (stage !== 'open' && isLast(this)) this.shouldKeepAlive = false
      return Reflect.apply(super.writeHead, this, args)
    }
  }

  const server = createServer({ ...options, ServerResponse: Response }, (req, res) => {
    follow(req.socket, res)
    handle(req, res)
  })
  // Nothing here is a tunnel. Without a listener node:http would close the connection without a word.
  server.on('connect', (_req, socket) => {
    if ((running.get(socket)?.size ?? 0) === 0) socket.write(noTunnel)
    closeLingering(socket)
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

  /** No request behind it would be lost with the connection. */
  function isLast(res: ServerResponse): boolean {
    return [...(running.get(res.req.socket) ?? [])].at(-1) === res
  }

  return {
    server,
    accept(socket) {
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
      // http.Server's own `close` would end idle connections immediately.
      await new Promise<unknown>((resolve) => NetServer.prototype.close.call(server, resolve))
      // Stops the interval that checks for slow requests.
      server.close(() => {})
    },
  }
}

const endOfHead = Buffer.from('\r\n\r\n')

/** Counted by what looks like the end of a head. */
const headsPerPiece = 16

/**
 * Passes what arrives to node:http in pieces of a few requests, and nothing more once the client is cut off. From one
 * 64 KiB chunk node:http would create a thousand requests and responses, even if the first few get the client cut off.
 */
function readInPieces(socket: Duplex): void {
  const readers = socket.listeners('data') as ((piece: Buffer) => void)[]
  for (const reader of readers) socket.off('data', reader)
  socket.on('data', (chunk: Buffer) => {
    for (const piece of splitAfterHeads(chunk)) {
      if (isCutOff(socket)) {
        // node:http resumes the socket if a request was answered before its body was read.
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

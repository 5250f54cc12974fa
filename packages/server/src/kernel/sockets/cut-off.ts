import type { IncomingMessage } from 'node:http'
import { constants, type Http2ServerRequest } from 'node:http2'
import type { Duplex } from 'node:stream'

/** Long enough that reconnecting gains the client nothing. */
const holdMs = 3_000

const cut = new WeakSet<Duplex>()

/**
 * Ends the connection of a client over its limits. It is held open and unread for a moment first: a client that is closed
 * immediately reconnects immediately, and accepting a connection costs more than refusing a request.
 */
export function cutOff(socket: Duplex): void {
  if (cut.has(socket)) return
  cut.add(socket)
  socket.pause()
  // With jitter, so that they do not all reconnect at the same moment.
  setTimeout(() => socket.destroy(), holdMs * (0.5 + Math.random())).unref()
}

export function isCutOff(socket: Duplex): boolean {
  return socket.destroyed || cut.has(socket)
}

const forwarded = new WeakMap<Duplex, () => void>()

/** For a connection that another process forwards: `tell` asks that process to cut its client off. */
export function cutOffElsewhere(socket: Duplex, tell: () => void): void {
  forwarded.set(socket, tell)
}

/**
 * Ends a request without an answer, and its connection with it. Over HTTP/2 only the stream ends, because the connection
 * has other requests; the session ends after too many of them.
 */
export function dropRequest(req: IncomingMessage): void {
  if (req.httpVersionMajor >= 2) {
    const { stream } = req as unknown as Http2ServerRequest
    stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    return
  }
  const tell = forwarded.get(req.socket)
  if (tell === undefined) cutOff(req.socket)
  else tell()
}

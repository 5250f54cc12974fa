import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { second } from '../../kernel/clock.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { cutOff } from '../accept/close-connection.ts'
import { dropInPlace } from '../fast-path/fast-sockets.ts'

/** Acts on an answer at the last moment at which its headers can be set: whoever answers has no say after that. */
export function beforeHead(res: ServerResponse, act: () => void): void {
  const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => ServerResponse
  res.writeHead = (...given: unknown[]) => {
    act()
    return writeHead(...given)
  }
}

/** What is left of a body this small is on its way already: reading it costs less than a new connection. */
const readOnUpTo = 64 * 1024

/** Connections on which a refused body is read on for a while, of all callers and of one. */
const lingering = { all: 64, perCaller: 4, time: 10 * second }

/** How fast the bodies of one caller are read, all together: 8 MiB a second. */
const pace = { bytes: 64 * 1024, pause: 8 }

/**
 * Sees to the end of requests that are answered before all of their body was read. A client that writes everything
 * before it reads must find its answer, so closing waits for it; what it sends meanwhile is read slowly and dropped.
 * Over HTTP/2 it is told to stop.
 */
export function finishRequests(listener: RequestListener): RequestListener {
  const lingerers = new Map<string, number>()
  let all = 0
  return (req, res) => {
    if (req.httpVersionMajor >= 2) stopStream(req, res)
    else if (hasLargeBody(req)) closeUnlessRead(req, res)
    else if (!req.complete) res.once('finish', () => req.resume())
    listener(req, res)
  }

  function closeUnlessRead(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req
    beforeHead(res, () => {
      if (req.complete) return
      res.setHeader('Connection', 'close')
      if (!lingerBeforeClosing(req, socket)) socket.destroySoon = () => cutOff(socket)
    })
  }

  /**
   * node:http closes a connection by `destroySoon`, and what then arrives makes the system take the answer back. False:
   * too many linger already.
   */
  function lingerBeforeClosing(req: IncomingMessage, socket: Socket): boolean {
    const { destroySoon } = socket
    const caller = callerOf(socket.remoteAddress ?? '')
    const others = lingerers.get(caller) ?? 0
    if (all >= lingering.all || others >= lingering.perCaller) return false
    all++
    lingerers.set(caller, others + 1)
    socket.once('close', () => {
      all--
      const left = (lingerers.get(caller) ?? 1) - 1
      if (left === 0) lingerers.delete(caller)
      else lingerers.set(caller, left)
    })
    const pause = () => pace.pause * (lingerers.get(caller) ?? 1)
    if (!dropSlowly(req, socket, pause)) readSlowly(req, pause)
    socket.destroySoon = () => {
      socket.destroySoon = destroySoon
      if (req.complete) {
        socket.destroySoon()
        return
      }
      socket.end()
      const late = setTimeout(() => socket.destroy(), lingering.time)
      socket.once('close', () => clearTimeout(late))
      req.once('end', () => socket.destroySoon())
    }
    return true
  }
}

function hasLargeBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > readOnUpTo
}

/** Allocates nothing: a new buffer per read would have the garbage collector stop everybody once a second. */
function dropSlowly(req: IncomingMessage, socket: Socket, pause: () => number): boolean {
  let unpaused = 0
  const isDropping = dropInPlace(socket, (length) => {
    unpaused += length
    if (unpaused < pace.bytes) return
    unpaused = 0
    socket.pause()
    setTimeout(() => socket.resume(), pause())
  })
  if (!isDropping) return false
  // What was read before goes there, and whoever took it no longer does: it must not pause the connection.
  req.unpipe()
  req.on('error', () => {})
  req.resume()
  socket.resume()
  return true
}

function readSlowly(req: IncomingMessage, pause: () => number): void {
  let unpaused = 0
  req.on('data', (chunk: Buffer) => {
    unpaused += chunk.length
    if (unpaused < pace.bytes) return
    unpaused = 0
    req.pause()
    setTimeout(() => req.resume(), pause())
  })
  req.on('error', () => {})
  req.resume()
}

/** Without an error: the answer is complete, and the rest of the request is of no use (RFC 9113, 8.1). */
function stopStream(req: IncomingMessage, res: ServerResponse): void {
  const { stream } = req as unknown as Http2ServerRequest
  ;(res as unknown as Http2ServerResponse).once('finish', () => {
    if (!stream.readableEnded && !stream.closed) stream.close(constants.NGHTTP2_NO_ERROR)
  })
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { cutOff } from '../../kernel/sockets/cut-off.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { readSlowly } from '../accept/drop-input.ts'
import { ignoreError } from '../sockets/close-connection.ts'

/** Calls back at the last moment at which headers can be set, after the handler has set its own. */
export function beforeHead(res: ServerResponse, act: () => void): void {
  const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => ServerResponse
  res.writeHead = (...given: unknown[]) => {
    act()
    return writeHead(...given)
  }
}

/** A body this small is already on its way: reading it costs less than a new connection. */
const smallBody = 64 * 1024

/** Connections on which a refused body is still read for a while. */
const lingering = { total: 64, perCaller: 4, time: 10 * second }

/**
 * Ends requests that are answered before their body was read. A client may send everything before it reads the answer,
 * so the connection stays open for it, and what it sends meanwhile is read slowly and dropped. Over HTTP/2 the stream is
 * reset.
 */
export function finishRequests(listener: RequestListener): RequestListener {
  const lingerers = new FairSemaphore(lingering.total, lingering.perCaller)
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
   * node:http closes a connection with `destroySoon`. If more data arrives then, the system resets the connection and
   * the answer is lost. Returns false if too many connections linger already.
   */
  function lingerBeforeClosing(req: IncomingMessage, socket: Socket): boolean {
    const { destroySoon } = socket
    const caller = callerOf(socket.remoteAddress ?? '')
    if (!lingerers.tryAcquire(caller)) return false
    socket.once('close', () => lingerers.release(caller))
    req.on('error', ignoreError)
    readSlowly(req, () => lingerers.heldBy(caller))
    socket.destroySoon = () => {
      socket.destroySoon = destroySoon
      if (req.complete) {
        socket.destroySoon()
        return
      }
      socket.end()
      const timer = setTimeout(() => socket.destroy(), lingering.time)
      socket.once('close', () => clearTimeout(timer))
      req.once('end', () => socket.destroySoon())
    }
    return true
  }
}

function hasLargeBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > smallBody
}

/** With NO_ERROR: the answer is complete, and the rest of the request is not needed (RFC 9113, 8.1). */
function stopStream(req: IncomingMessage, res: ServerResponse): void {
  const { stream } = req as unknown as Http2ServerRequest
  ;(res as unknown as Http2ServerResponse).once('finish', () => {
    if (!stream.readableEnded && !stream.closed) stream.close(constants.NGHTTP2_NO_ERROR)
  })
}

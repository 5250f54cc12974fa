import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import type { ActivityMonitor } from '../accept/connection-limits.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import { closeLingering, ignoreError } from '../sockets/close-connection.ts'
import { OpenStreams, ResetLimiter, type ResetLimits } from './http2-stream-limits.ts'

export interface Http2SessionLimits extends ResetLimits {
  maxHeaderSize: number
  /** Concurrent streams per connection. */
  maxStreams: number
  /** On all connections, of which each caller has a share: a stream buffers what its client does not read. */
  maxTotalStreams: number
}

const defaultHttp2SessionLimits: Http2SessionLimits = {
  maxHeaderSize: 16 * 1024,
  maxStreams: 100,
  maxTotalStreams: 10_000,
  resetBurst: 500,
  resetRate: 50,
}

export interface Http2SessionsParts {
  handleStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, servername: string) => void
  isProxy?: ((address: string) => boolean) | undefined
  limits?: Partial<Http2SessionLimits> | undefined
}

export interface Http2Sessions {
  /** Only requests and answers count as activity: pings do not keep a session open. */
  accept(socket: TLSSocket): ActivityMonitor
  /** Refuses new streams, which clients may retry elsewhere, and ends each session after its last one. */
  close(): void
}

/** Connections that speak HTTP/2. */
export function createHttp2Sessions({
  handleStream,
  isProxy = () => false,
  limits,
}: Http2SessionsParts): Http2Sessions {
  const all = { ...defaultHttp2SessionLimits, ...limits }
  const options = sessionOptions(all)
  const open = new Set<ServerHttp2Session>()
  const streams = new FairSemaphore(all.maxTotalStreams)
  let isClosing = false
  return {
    accept(socket) {
      const servername = String(socket.servername)
      const caller = callerUnlessProxy(socket.remoteAddress ?? '', isProxy)
      const session = performServerHandshake(socket, options)
      const resets = new ResetLimiter(all)
      const running = new OpenStreams()
      let hasBegun = false
      open.add(session)
      session.on('stream', (stream, headers) => {
        hasBegun = true
        stream.on('error', ignoreError)
        stream.on('close', countReset)
        if (!streams.tryAcquire(caller)) {
          // Tells the client that it may retry (RFC 9113, 8.7).
          stream.close(constants.NGHTTP2_REFUSED_STREAM)
          return
        }
        stream.once('close', () => streams.release(caller))
        running.add(stream)
        handleStream(stream, headers, servername)
      })
      session.on('error', ignoreError)
      session.once('close', () => open.delete(session))
      socket.once('end', finish)
      // The client may never end its side.
      socket.once('finish', () => closeLingering(socket))
      // The session waits for this event, which node emits only for its own handshakes.
      socket.emit('secureConnect')
      if (isClosing) session.close()
      return {
        checkActivity() {
          const hasMoved = hasBegun || running.size > 0
          hasBegun = false
          running.cancelStalled()
          return hasMoved
        },
        // A closed session still waits for the client to close too.
        end: () => (session.destroyed ? socket : session).destroy(),
      }

      /** A client that ended its side can open no window: what cannot be sent soon never can. */
      function finish(): void {
        if (running.size === 0) socket.destroy()
        else {
          session.close()
          setTimeout(() => socket.destroy(), timeToReadRest).unref()
        }
      }

      /** Resets after a complete answer are only seen by nghttp2. */
      function countReset(this: ServerHttp2Stream): void {
        running.delete(this)
        if (this.rstCode === constants.NGHTTP2_NO_ERROR || resets.tryReset()) return
        session.destroy(new Error('Too many streams were reset'), constants.NGHTTP2_ENHANCE_YOUR_CALM)
      }
    },
    close() {
      isClosing = true
      for (const session of open) session.close()
    },
  }
}

/** For streams that are open when the client ends its side of the connection. */
const timeToReadRest = 1_000

/**
 * nghttp2 counts resets too, and ends the session with INTERNAL_ERROR. It sees a whole read before we see any of it, so
 * its limit is higher by what fits in 16 KiB, where a request and its reset take at least 22 bytes.
 */
const resetsInOneRead = 750

/** Exceeding these ends the session. Browsers stay far below them. */
function sessionOptions(limits: Http2SessionLimits): ServerOptions {
  return {
    settings: {
      enablePush: false,
      maxConcurrentStreams: limits.maxStreams,
      maxHeaderListSize: limits.maxHeaderSize,
    },
    maxHeaderListPairs: 100,
    maxSessionMemory: 10,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
    maxOutstandingPings: 10,
    maxSettings: 32,
    streamResetBurst: limits.resetBurst + resetsInOneRead,
    streamResetRate: limits.resetRate,
    strictSingleValueFields: true,
  }
}

import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { FairShare } from '../../kernel/fair-queue.ts'
import { closeLingering, ignoreError } from '../accept/close-connection.ts'
import type { ActivityMonitor } from '../accept/connection-limits.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import { OpenStreams, ResetLimiter, type ResetLimits } from './http2-stream-limits.ts'

export interface Http2SessionLimits extends ResetLimits {
  maxHeaderSize: number
  /** Streams at one time, on one connection. */
  maxStreams: number
  /** On all connections, of which a caller has a share: each holds what its client does not take. */
  maxStreamsInAll: number
}

export const defaultHttp2SessionLimits: Http2SessionLimits = {
  maxHeaderSize: 16 * 1024,
  maxStreams: 100,
  maxStreamsInAll: 10_000,
  resetBurst: 500,
  resetRate: 50,
}

export interface Http2SessionsParts {
  handleStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, servername: string) => void
  isProxy?: ((address: string) => boolean) | undefined
  limits?: Partial<Http2SessionLimits> | undefined
}

export interface Http2Sessions {
  /** What moves is what is asked and answered: pings keep no session open. */
  take(socket: TLSSocket): ActivityMonitor
  /** Takes no new streams, which clients may ask for again elsewhere, and ends each session with its last one. */
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
  const streams = new FairShare(all.maxStreamsInAll)
  let isClosing = false
  return {
    take(socket) {
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
        if (!streams.enter(caller)) {
          // The client may ask again (RFC 9113, 8.7).
          stream.close(constants.NGHTTP2_REFUSED_STREAM)
          return
        }
        stream.once('close', () => streams.leave(caller))
        running.add(stream)
        handleStream(stream, headers, servername)
      })
      session.on('error', ignoreError)
      session.once('close', () => open.delete(session))
      socket.once('end', leave)
      // The client may never end its side, and takes nothing more.
      socket.once('finish', () => closeLingering(socket))
      // The session waits for what node tells of handshakes that a server of its own has made.
      socket.emit('secureConnect')
      if (isClosing) session.close()
      return {
        look() {
          const hasMoved = hasBegun || running.size > 0
          hasBegun = false
          running.look()
          return hasMoved
        },
        // A session that was closed already waits for the client to do the same.
        end: () => (session.destroyed ? socket : session).destroy(),
      }

      /** Who has said all it will say can open no window: what cannot be sent at once never can. */
      function leave(): void {
        if (running.size === 0) socket.destroy()
        else {
          session.close()
          setTimeout(() => socket.destroy(), timeToTakeLast).unref()
        }
      }

      /** What was answered in full before it was taken back, only nghttp2 hears of. */
      function countReset(this: ServerHttp2Stream): void {
        running.delete(this)
        if (this.rstCode === constants.NGHTTP2_NO_ERROR || resets.take()) return
        session.destroy(new Error('Too many streams were taken back'), constants.NGHTTP2_ENHANCE_YOUR_CALM)
      }
    },
    close() {
      isClosing = true
      for (const session of open) session.close()
    },
  }
}

/** For streams that are open when the client ends its side of the connection. */
const timeToTakeLast = 1_000

/**
 * nghttp2 counts as well, and says INTERNAL_ERROR. It sees everything that came in one read before we see any of it,
 * so it is left that much more: 16 KiB, of which a request and its end take 22 bytes at least.
 */
const resetsInOneRead = 750

/** Beyond these the session is ended: what a browser does stays far below them. */
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

import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { ignoreError } from '../ignore-error.ts'
import { ResetAllowance, type ResetLimits } from './reset-allowance.ts'

export interface SessionLimits extends ResetLimits {
  /** No frame in either direction. */
  idleTimeout: number
  maxHeaderSize: number
  /** Streams at one time. */
  maxStreams: number
}

export const defaultSessionLimits: SessionLimits = {
  idleTimeout: 120_000,
  maxHeaderSize: 16 * 1024,
  maxStreams: 100,
  resetBurst: 500,
  resetRate: 50,
}

export interface SessionsParts {
  handleStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, servername: string) => void
  limits?: Partial<SessionLimits> | undefined
}

export interface Sessions {
  take(socket: TLSSocket): void
  /** Takes no new streams, and ends each session with its last one. */
  close(): void
}

/** Connections that speak HTTP/2. */
export function createSessions({ handleStream, limits }: SessionsParts): Sessions {
  const { idleTimeout, ...frames } = { ...defaultSessionLimits, ...limits }
  const options = sessionOptions(frames)
  const open = new Set<ServerHttp2Session>()
  return {
    take(socket) {
      const servername = String(socket.servername)
      const session = performServerHandshake(socket, options)
      const resets = new ResetAllowance(frames)
      open.add(session)
      session.on('stream', (stream, headers) => {
        stream.on('error', ignoreError)
        stream.on('close', countReset)
        handleStream(stream, headers, servername)
      })
      session.on('error', ignoreError)
      session.once('close', () => open.delete(session))
      session.setTimeout(idleTimeout, () => session.destroy())
      // The session waits for what node tells of handshakes that a server of its own has made.
      socket.emit('secureConnect')

      /** What was answered in full before it was taken back, only nghttp2 hears of. */
      function countReset(this: ServerHttp2Stream): void {
        if (this.rstCode === constants.NGHTTP2_NO_ERROR || resets.take()) return
        session.destroy(new Error('Too many streams were taken back'), constants.NGHTTP2_ENHANCE_YOUR_CALM)
      }
    },
    close() {
      for (const session of open) session.close()
    },
  }
}

/**
 * nghttp2 counts as well, and says INTERNAL_ERROR. It sees everything that came in one read before we see any of it,
 * so it is left that much more: 16 KiB, of which a request and its end take 22 bytes at least.
 */
const resetsInOneRead = 750

/** Beyond these the session is ended: what a browser does stays far below them. */
function sessionOptions(limits: Omit<SessionLimits, 'idleTimeout'>): ServerOptions {
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

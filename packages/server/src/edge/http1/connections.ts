import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Logger } from 'pino'
import type { ListenerLimits } from '../accept/connection-limits.ts'
import { createDropInput, type DropInput } from '../accept/drop-input.ts'
import type { SiteConnections } from '../accept/site-connections.ts'
import type { SiteAnswers } from '../site-answers.ts'
import { AnswerBuffer } from './answer-buffer.ts'
import { Http1Connection } from './connection.ts'

export interface Http1Parts {
  answers: SiteAnswers
  limits: Pick<ListenerLimits, 'headersTimeout' | 'maxHeaderSize'>
  /** A proxy speaks for many clients, and sends requests for several hosts on one connection. */
  isProxy: (address: string) => boolean
  /** Whether the sender of a malformed request meant a site. */
  isSite: (host: string) => boolean
  /** Takes over a plain connection whose unread requests are for the platform. */
  toPlatform: (socket: Socket) => void
  log: Pick<Logger, 'error'>
}

/** What all connections share. */
export interface Http1Context extends Http1Parts {
  readonly out: AnswerBuffer
  readonly dropInput: DropInput
  /** While draining, the last answer of each connection says so. Once closing, connections end as they become idle. */
  stage: 'open' | 'draining' | 'closing'
  leave(connection: Http1Connection): void
}

/** Connections for sites that speak HTTP/1.1. */
export function createHttp1Connections(parts: Http1Parts): SiteConnections {
  const open = new Set<Http1Connection>()
  const context: Http1Context = {
    ...parts,
    out: new AnswerBuffer(),
    dropInput: createDropInput(),
    stage: 'open',
    leave: (connection) => open.delete(connection),
  }
  return {
    accept(socket: Socket | TLSSocket, servername: string | null) {
      const connection = new Http1Connection(socket, servername, context)
      open.add(connection)
      return connection
    },
    drain() {
      context.stage = 'draining'
    },
    close() {
      context.stage = 'closing'
      for (const connection of open) connection.close()
    },
  }
}

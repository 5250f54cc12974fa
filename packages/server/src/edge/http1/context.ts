import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { ListenerLimits } from '../accept/connection-limits.ts'
import type { DropInput } from '../accept/drop-input.ts'
import type { ProxyFields } from '../accept/forwarded.ts'
import type { SiteAnswers } from '../site-answers.ts'
import type { AnswerBuffer } from './answer-buffer.ts'

export interface Http1Parts {
  answers: SiteAnswers
  limits: Pick<ListenerLimits, 'headersTimeout' | 'maxHeaderSize'>
  /** A proxy speaks for many clients, and sends requests for several hosts on one connection. */
  proxies: ProxyFields
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
}

/** Of one connection, in a turn of the event loop. */
export const perTurn = {
  /** After so many answers, others get their turn. */
  requests: 32,
  /** A client that sends more bytes than this is answered before the end of the turn. */
  unread: 64 * 1024,
  /** Once the answers are longer than this, they are written before the end of the turn. */
  delayed: 80 * 1024,
}

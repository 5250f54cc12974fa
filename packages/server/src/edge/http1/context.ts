import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { ListenerLimits } from '../accept/connection-limits.ts'
import type { DropInput } from '../accept/drop-input.ts'
import type { SiteAnswers } from '../site-answers.ts'
import type { AnswerBuffer } from './answer-buffer.ts'

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
}

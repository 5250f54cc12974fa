import type { Logger } from 'pino'
import type { FairSemaphore } from '../../kernel/fair-queue.ts'
import type { ActivityMonitor } from '../accept/connection-limits.ts'
import type { ProxyFields } from '../accept/forwarded.ts'
import type { SiteAnswers } from '../site-answers.ts'
import type { ControlLimits } from './control-budget.ts'

export interface Http2Limits extends ControlLimits {
  /** Of a request, as RFC 7541, 4.1 counts it. */
  maxHeaderSize: number
  /** Concurrent streams per connection. */
  maxStreams: number
  /** Streams that wait for something, on all connections, of which each caller has a share. */
  maxTotalStreams: number
}

export const defaultHttp2Limits: Http2Limits = {
  maxHeaderSize: 16 * 1024,
  maxStreams: 100,
  maxTotalStreams: 10_000,
  resetBurst: 500,
  resetRate: 50,
}

/** What all connections share. */
export interface Http2Shared {
  readonly answers: SiteAnswers
  readonly limits: Http2Limits
  readonly proxies: ProxyFields
  readonly log: Pick<Logger, 'error'>
  readonly streams: FairSemaphore
  readonly isDraining: boolean
  onClosed(connection: ActivityMonitor): void
}

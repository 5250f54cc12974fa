import type { RequestHead } from './request-head.ts'
import type { HeadBytes } from './response-head.ts'

/** What of a request matters for sending its answer. */
export type AnsweredRequest = Pick<RequestHead, 'method' | 'keepAlive' | 'hasBody'>

export interface Http1Answer {
  readonly head: HeadBytes
  readonly request: AnsweredRequest
}

/** Where the next request would begin is unknown, and the client may still be sending. */
export const unreadable: AnsweredRequest = { method: '', keepAlive: false, hasBody: true }

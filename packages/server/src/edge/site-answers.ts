import type { Body } from './assets/body.ts'
import type { Reply, ReplyBody } from './assets/reply.ts'
import type { EdgeRequest } from './assets/respond.ts'
import type { ResponseCounts } from './response-counts.ts'

/** What HTTP/1.1 and HTTP/2 need to answer the requests of visitors. */
export interface SiteAnswers {
  /** Never rejects. Null if the request is for the dashboard and the API. A promise only if memory cannot answer. */
  answer(request: EdgeRequest, servername: string | null): Reply | null | Promise<Reply | null>
  /** Rejects if the file cannot be read. A null caller is a trusted proxy. */
  openBody(body: ReplyBody, caller: string | null): Body | Promise<Body>
  /** Of every answer, when its head is sent. */
  readonly responses: ResponseCounts
}

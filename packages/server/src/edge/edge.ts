import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Logger } from 'pino'
import type { BlobStore } from '../blobs/blob-store.ts'
import { FairQueue } from '../kernel/fair-queue.ts'
import { ContentCache, type ContentLimits, cachedContent } from './assets/content-cache.ts'
import { badRequestPage } from './assets/pages.ts'
import type { Reply } from './assets/reply.ts'
import type { CacheGeneration } from './cache/invalidation.ts'
import type { FastPathAnswer } from './fast-path/fast-path.ts'
import type { RequestHead } from './fast-path/request-head.ts'
import { finishRequests } from './node-http/finish-requests.ts'
import {
  defaultStreamLimits,
  readStreamRequest,
  type StreamLimits,
  toNodeRequest,
} from './node-http/http2-request.ts'
import { queueRequests } from './node-http/platform-queue.ts'
import type { Refuser } from './node-http/refuse-unreadable.ts'
import { http1Writer, http2Writer } from './node-http/reply-writers.ts'
import { createReplySender, pieceSize } from './node-http/send-reply.ts'
import { isPublicHost, Router, type RouterAnswer, type RouterParts } from './router.ts'
import { ChallengeAnswers, type FindChallenge } from './sites/acme-challenges.ts'
import { classifyHost, servernameOf } from './sites/host.ts'
import type { SiteChange } from './sites/site-change.ts'
import { SiteRouter, type SiteSource } from './sites/site-router.ts'

export interface EdgeParts extends RouterParts {
  sites: SiteSource
  blobs: Pick<BlobStore, 'read' | 'open'>
  /** The dashboard and the API. Over HTTP/2 it gets node's compatible request and response. */
  platform: (req: IncomingMessage, res: ServerResponse) => void
  /** Left out where no certificates are got. */
  findChallenge?: FindChallenge | undefined
  log: Pick<Logger, 'error'>
  contentLimits?: ContentLimits
  /** Published files that may be open at one time, of which a caller has a share. */
  mostOpenFiles?: number
  /** Whether an address stands for many callers, and has no share but everything. */
  isProxy?: (address: string) => boolean
  /** How a request for the platform has to arrive over HTTP/2. One of HTTP/1.1 has its listener's limits. */
  streamLimits?: StreamLimits
}

export interface Edge {
  handle(req: IncomingMessage, res: ServerResponse): void
  /** The same over HTTP/2, on a connection whose handshake was for this name. */
  handleStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, servername: string): void
  /** For the fast lane: what is in memory, or its loading where it can be kept there. */
  answerFromMemory(request: RequestHead, servername: string | null): FastPathAnswer
  /** For what cannot be read. */
  readonly refuser: Refuser
  /** To be called by the change feed. */
  changed(change: SiteChange): void
}

/** The ways into the walk of a request, and out of it again. */
export function createEdge(parts: EdgeParts): Edge {
  const { log, findChallenge = noChallenges, streamLimits = defaultStreamLimits } = parts
  const platform = queueRequests(finishRequests(parts.platform))
  const places = new SiteRouter(parts.sites, (host, error) =>
    log.error({ err: error, site: host }, 'a site is shown as it was'),
  )
  const walk = new Router(parts, places, new ChallengeAnswers(findChallenge, log))
  const contents = new ContentCache(parts.blobs, parts.contentLimits)
  const { blobs, isProxy = () => false, mostOpenFiles = 2_048 } = parts
  const wire = { blobs, contents, openFiles: new FairQueue({ places: mostOpenFiles }), isProxy, log }
  const send = createReplySender({ ...wire, writer: http1Writer })
  const sendOnStream = createReplySender({ ...wire, writer: http2Writer })

  const refuser = { platform, isSite: (host: string) => isPublicHost(classifyHost(host, parts)) }

  return { handle, handleStream, answerFromMemory, refuser, changed: (change) => places.changed(change) }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const { method = 'GET', url: target = '', headers } = req
    const from = () => req.socket.remoteAddress
    const request = { method, target, host: headers.host ?? '', headers, from }
    whenAnswered(walk.answer(request, servernameOf(req.socket)), (reply) =>
      reply === null ? platform(req, res) : send(res, reply),
    )
  }

  function handleStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, servername: string): void {
    const request = readStreamRequest(headers)
    if (request === null) {
      sendOnStream(stream, badRequestPage)
      return
    }
    const from = () => stream.session?.socket.remoteAddress
    whenAnswered(walk.answer({ ...request, from }, servername), (reply) => {
      if (reply !== null) sendOnStream(stream, reply)
      else if (!stream.destroyed) platform(...toNodeRequest(stream, headers, request.host, streamLimits))
    })
  }

  function answerFromMemory(request: RequestHead, servername: string | null): FastPathAnswer {
    try {
      const reply = walk.fromMemory(request, servername)
      if (reply === undefined) return null
      if (reply instanceof Promise) return reply
      const answer = withContent(reply, walk.standing(request))
      return servername !== null && isTooLargeForFastPath(answer) ? null : answer
    } catch {
      // It fails again where it is logged and answered.
      return null
    }
  }

  function withContent(reply: Reply, standing: CacheGeneration | null): FastPathAnswer {
    const { body } = reply
    const content = cachedContent(body, contents)
    if (content !== null) return { reply, content, standing }
    return body.kind === 'blob' && contents.takes(body.size)
      ? contents.load(body.id, body.key, body.size)
      : null
  }
}

/** The lane writes an answer in one piece, which TLS would keep for a client that does not take it. */
function isTooLargeForFastPath(answer: FastPathAnswer): boolean {
  return answer !== null && 'content' in answer && answer.content.length > pieceSize
}

/** What is known is answered in the same breath: a promise would cost a turn of the queue. */
function whenAnswered(
  answer: RouterAnswer | Promise<RouterAnswer>,
  then: (reply: RouterAnswer) => void,
): void {
  if (answer instanceof Promise) void answer.then(then)
  else then(answer)
}

async function noChallenges(): Promise<null> {
  return null
}

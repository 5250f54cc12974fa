import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Logger } from 'pino'
import type { BlobStore } from '../blobs/blob-store.ts'
import { ChallengeAnswers, type FindChallenge } from './challenge-answers.ts'
import { contentAtHand } from './content-at-hand.ts'
import { ContentCache, type ContentLimits } from './content-cache.ts'
import { FairTurns } from './fair-turns.ts'
import type { LaneAnswer } from './fast-lane.ts'
import { finishRequests } from './finish-requests.ts'
import { defaultStreamLimits, platformRequest, type StreamLimits } from './h2/platform-request.ts'
import { readStreamRequest } from './h2/stream-request.ts'
import { http2Writer } from './h2/writer.ts'
import { classifyHost } from './host.ts'
import { http1Writer } from './http1-writer.ts'
import { badRequestPage } from './pages.ts'
import { Places, type SiteSource } from './places.ts'
import { queueRequests } from './platform-queue.ts'
import type { Refuser } from './refuse-unreadable.ts'
import type { RequestHead } from './request-head.ts'
import type { Reply } from './response.ts'
import { servernameOf } from './servername.ts'
import type { SiteChange } from './site-change.ts'
import type { Standing } from './standing.ts'
import { isPublic, Walk, type WalkAnswer, type WalkParts } from './walk.ts'
import { createWire, pieceSize } from './wire.ts'

export interface EdgeParts extends WalkParts {
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
  answerFromMemory(request: RequestHead, servername: string | null): LaneAnswer
  /** For what cannot be read. */
  readonly refuser: Refuser
  /** To be called by the change feed. */
  changed(change: SiteChange): void
}

/** The ways into the walk of a request, and out of it again. */
export function createEdge(parts: EdgeParts): Edge {
  const { log, findChallenge = noChallenges, streamLimits = defaultStreamLimits } = parts
  const platform = queueRequests(finishRequests(parts.platform))
  const places = new Places(parts.sites, (host, error) =>
    log.error({ err: error, site: host }, 'a site is shown as it was'),
  )
  const walk = new Walk(parts, places, new ChallengeAnswers(findChallenge, log))
  const contents = new ContentCache(parts.blobs, parts.contentLimits)
  const { blobs, isProxy = () => false, mostOpenFiles = 2_048 } = parts
  const wire = { blobs, contents, openFiles: new FairTurns({ places: mostOpenFiles }), isProxy, log }
  const send = createWire({ ...wire, writer: http1Writer })
  const sendOnStream = createWire({ ...wire, writer: http2Writer })

  const refuser = { platform, isSite: (host: string) => isPublic(classifyHost(host, parts)) }

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
      else if (!stream.destroyed) platform(...platformRequest(stream, headers, request.host, streamLimits))
    })
  }

  function answerFromMemory(request: RequestHead, servername: string | null): LaneAnswer {
    try {
      const reply = walk.fromMemory(request, servername)
      if (reply === undefined) return null
      if (reply instanceof Promise) return reply
      const answer = withContent(reply, walk.standing(request))
      return servername !== null && isLarge(answer) ? null : answer
    } catch {
      // It fails again where it is logged and answered.
      return null
    }
  }

  function withContent(reply: Reply, standing: Standing | null): LaneAnswer {
    const { body } = reply
    const content = contentAtHand(body, contents)
    if (content !== null) return { reply, content, standing }
    return body.kind === 'blob' && contents.takes(body.size)
      ? contents.load(body.id, body.key, body.size)
      : null
  }
}

/** The lane writes an answer in one piece, which TLS would keep for a client that does not take it. */
function isLarge(answer: LaneAnswer): boolean {
  return answer !== null && 'content' in answer && answer.content.length > pieceSize
}

/** What is known is answered in the same breath: a promise would cost a turn of the queue. */
function whenAnswered(answer: WalkAnswer | Promise<WalkAnswer>, then: (reply: WalkAnswer) => void): void {
  if (answer instanceof Promise) void answer.then(then)
  else then(answer)
}

async function noChallenges(): Promise<null> {
  return null
}

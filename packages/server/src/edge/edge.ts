import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Logger } from 'pino'
import type { BlobStore } from '../blobs/blob-store.ts'
import { FairQueue } from '../kernel/fair-queue.ts'
import { ForwardedFields, fieldsFor, noProxies, type ProxyFields } from './accept/forwarded.ts'
import { openBody } from './assets/body.ts'
import { ContentCache, type ContentLimits } from './assets/content-cache.ts'
import type { EdgeRequest } from './assets/respond.ts'
import { finishRequests } from './node-http/finish-requests.ts'
import {
  defaultStreamLimits,
  readStreamRequest,
  type StreamLimits,
  toNodeRequest,
} from './node-http/http2-request.ts'
import { createPlatformQueue, type ReadInTurn } from './node-http/platform-queue.ts'
import type { Refuser } from './node-http/refuse-unreadable.ts'
import { http1Writer, http2Writer } from './node-http/reply-writers.ts'
import { createReplySender } from './node-http/send-reply.ts'
import { ResponseCounts } from './response-counts.ts'
import { isPublicHost, Router, type RouterAnswer, type RouterParts } from './router.ts'
import type { SiteAnswers } from './site-answers.ts'
import { ChallengeAnswers, type FindChallenge } from './sites/acme-challenges.ts'
import { classifyHost, classifyServerName, servernameOf } from './sites/host.ts'
import type { SiteChange } from './sites/site-change.ts'
import { SiteRouter, type SiteSource } from './sites/site-router.ts'
import type { Turn } from './sockets/turn.ts'

export interface EdgeParts extends RouterParts {
  sites: SiteSource
  blobs: Pick<BlobStore, 'read' | 'openFile' | 'prepare'>
  /** The dashboard and the API. Over HTTP/2 they get node's compatibility request and response. */
  platform: (req: IncomingMessage, res: ServerResponse) => void
  /** Omitted if there is no ACME. */
  findChallenge?: FindChallenge | undefined
  log: Pick<Logger, 'error'>
  contentLimits?: ContentLimits
  /** Counts every answer of a site. */
  responses?: ResponseCounts
  /** What cached sites may take in memory. */
  maxSiteBytes?: number
  /** Published files open at once, of which each caller has a share. */
  maxOpenFiles?: number
  /** A proxy speaks for many clients, so it has no share of its own. */
  proxies?: ProxyFields
  /** For requests to the platform over HTTP/2. Over HTTP/1.1 the listener has limits. */
  streamLimits?: StreamLimits
  /** Of the sockets of sites: what it holds is done before a request for the platform starts. */
  turn?: Turn
}

export interface Edge {
  readonly answers: SiteAnswers
  /** Whether TLS connections for this name carry requests for the dashboard and the API. */
  isPlatformName(servername: string): boolean
  handle(req: IncomingMessage, res: ServerResponse): void
  /** When to read what has arrived on a connection for `handle`. */
  readonly readInTurn: ReadInTurn
  /** The same over HTTP/2, on a connection with this server name. */
  handleStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, servername: string): void
  /** For malformed requests. */
  readonly refuser: Refuser
  /** Called by the change feed. */
  changed(change: SiteChange): void
}

/** Connects both protocols with the router. */
export function createEdge(parts: EdgeParts): Edge {
  const { log, findChallenge = noChallenges, streamLimits = defaultStreamLimits } = parts
  let visits = 0
  const queue = createPlatformQueue(finishRequests(parts.platform), {
    answerVisitors: () => parts.turn?.run(),
    visits: () => visits,
  })
  const platform = queue.handle
  const sites = new SiteRouter(parts.sites, {
    onStale: (host, error) =>
      log.error({ err: error, site: host }, 'could not reload a site, so it is served as it was'),
    maxSiteBytes: parts.maxSiteBytes,
  })
  const router = new Router(parts, sites, new ChallengeAnswers(findChallenge, log))
  const contents = new ContentCache(parts.blobs, parts.contentLimits)
  const { blobs, proxies = noProxies, maxOpenFiles = 2_048, responses = new ResponseCounts() } = parts
  const bodyParts = { blobs, contents, openFiles: new FairQueue({ size: maxOpenFiles }) }

  const refuser = { platform, isSite: (host: string) => isPublicHost(classifyHost(host, parts)) }

  const answers: SiteAnswers = {
    answer(request, servername) {
      const answer = router.answer(request, servername)
      if (answer !== null) visits++
      return answer
    },
    openBody: (body, caller) => openBody(body, caller, bodyParts),
    responses,
  }
  const sending = { answers, isProxy: proxies.isProxy, log }
  const send = createReplySender({ ...sending, writer: http1Writer })
  const sendOnStream = createReplySender({ ...sending, writer: http2Writer })

  return {
    answers,
    handle,
    readInTurn: queue.readInTurn,
    handleStream,
    isPlatformName,
    refuser,
    changed: (change) => sites.changed(change),
  }

  function isPlatformName(servername: string): boolean {
    return classifyServerName(servername, parts).kind === 'dashboard'
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const { method = 'GET', url: target = '', headers } = req
    const { remoteAddress } = req.socket
    const fields = fieldsFor(proxies, remoteAddress ?? '')
    const told = fields === null ? null : forwardedOf(headers, fields)
    const from: EdgeRequest['from'] = (marked) =>
      told === null ? remoteAddress : told.address(remoteAddress, marked)
    // Nobody else's word for it counts, in whatever field.
    const known = { ...headers, country: told?.country }
    const isForwardedSecurely = told?.isSecure(remoteAddress) === true
    const request = { method, target, host: headers.host ?? '', headers: known, from, isForwardedSecurely }
    whenAnswered(router.answer(request, servernameOf(req.socket)), (reply) =>
      reply === null ? platform(req, res) : send(res, reply),
    )
  }

  function forwardedOf(headers: IncomingHttpHeaders, fields: ProxyFields): ForwardedFields {
    const told = new ForwardedFields(fields)
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === 'string' && told.mayHave(name.length)) told.add(name, value)
    }
    return told
  }

  function handleStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, servername: string): void {
    const request = readStreamRequest(headers)
    if ('status' in request) {
      sendOnStream(stream, request)
      return
    }
    const from = () => stream.session?.socket.remoteAddress
    whenAnswered(router.answer({ ...request, from }, servername), (reply) => {
      if (reply !== null) sendOnStream(stream, reply)
      else if (!stream.destroyed) platform(...toNodeRequest(stream, headers, request.host, streamLimits))
    })
  }
}

/** Answers synchronously where possible: a promise would cost a trip through the microtask queue. */
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

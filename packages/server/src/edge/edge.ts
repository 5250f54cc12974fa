import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { BlobStore } from '../blobs/blob-store.ts'
import { contentAtHand } from './content-at-hand.ts'
import { ContentCache, type ContentLimits } from './content-cache.ts'
import type { LaneAnswer } from './fast-lane.ts'
import { classifyHost, type HostNames, labelOf, type PublicHost } from './host.ts'
import { redirectToHost } from './host-redirect.ts'
import { badRequestPage, unavailablePage, unknownDomainPage, unknownHostPage } from './pages.ts'
import { type Place, Places, type SiteSource } from './places.ts'
import { remember } from './remember.ts'
import type { RequestHead } from './request-head.ts'
import { type RequestTarget, readRequestTarget } from './request-target.ts'
import { type RequestHeaders, respond } from './respond.ts'
import { noBody, type Reply, withoutBody } from './response.ts'
import { Site } from './site.ts'
import type { SiteChange } from './site-change.ts'
import { createWire } from './wire.ts'

export interface EdgeParts extends HostNames {
  dashboardUrl: string
  /** Scheme, host and port at which a host is reached from outside. */
  originOf: (hostname: string) => string
  sites: SiteSource
  blobs: Pick<BlobStore, 'read' | 'open'>
  /** The dashboard and the API. */
  platform: (req: IncomingMessage, res: ServerResponse) => void
  log: Pick<Logger, 'error'>
  contentLimits?: ContentLimits
}

export interface Edge {
  handle(req: IncomingMessage, res: ServerResponse): void
  /** For the fast lane: what is in memory, or its loading where it can be kept there. */
  answerFromMemory(request: RequestHead): LaneAnswer
  /** To be called by the change feed. */
  changed(change: SiteChange): void
}

/** The walk of a request: host to route, path to asset, response as a value, wire. */
export function createEdge(parts: EdgeParts): Edge {
  const { platform, log } = parts
  const routeOf = remember(10_000, (host) => classifyHost(host, parts))
  const places = new Places(parts.sites, (host, error) =>
    log.error({ err: error, site: host }, 'a site is shown as it was'),
  )
  const contents = new ContentCache(parts.blobs, parts.contentLimits)
  const send = createWire({ blobs: parts.blobs, contents, log })
  const toDashboard: Reply = {
    status: 302,
    headers: ['Location', parts.dashboardUrl, 'Content-Length', '0', 'Cache-Control', 'no-store'],
    body: noBody,
  }

  return { handle, answerFromMemory, changed: (change) => places.changed(change) }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const target = readRequestTarget(req.url ?? '')
    const route = routeOf(target.authority ?? req.headers.host ?? '')
    switch (route.kind) {
      case 'project':
      case 'preview':
      case 'domain':
        serve(route, target, req, res)
        break
      case 'dashboard':
        platform(req, res)
        break
      case 'platform':
        sendPage(req, res, toDashboard)
        break
      case 'unknown':
        sendPage(req, res, unknownHostPage(route.hostname))
        break
      case 'invalid':
        sendPage(req, res, badRequestPage)
    }
  }

  function answerFromMemory(request: RequestHead): LaneAnswer {
    const route = routeOf(request.host)
    if (route.kind !== 'project' && route.kind !== 'preview' && route.kind !== 'domain') return null
    const place = places.get(route)
    if (place === undefined) return places.load(route)
    if (place === null) return null
    try {
      const reply = answer(place, request.method, readRequestTarget(request.target), request.headers)
      const { body } = reply
      const content = contentAtHand(body, contents)
      if (content !== null) return { reply, content }
      return body.kind === 'blob' && contents.takes(body.size)
        ? contents.load(body.id, body.key, body.size)
        : null
    } catch {
      // It fails again where it is logged and answered.
      return null
    }
  }

  function serve(host: PublicHost, target: RequestTarget, req: IncomingMessage, res: ServerResponse): void {
    const place = places.get(host)
    if (place !== undefined) show(place, host, target, req, res)
    else {
      places.load(host).then(
        (loaded) => show(loaded, host, target, req, res),
        (error: unknown) => sendUnavailable(req, res, error),
      )
    }
  }

  function show(
    place: Place | null,
    host: PublicHost,
    target: RequestTarget,
    req: IncomingMessage,
    res: ServerResponse,
  ): void {
    try {
      if (place !== null) send(res, answer(place, req.method ?? 'GET', target, req.headers))
      else sendPage(req, res, nobodyAt(host))
    } catch (error) {
      sendUnavailable(req, res, error)
    }
  }

  function answer(place: Place, method: string, target: RequestTarget, headers: RequestHeaders): Reply {
    return place instanceof Site
      ? respond(place, method, target, headers)
      : redirectToHost(place, parts.originOf(place.to), method, target)
  }

  function nobodyAt(host: PublicHost): Reply {
    return host.kind === 'domain'
      ? unknownDomainPage(host.hostname)
      : unknownHostPage(`${labelOf(host)}.${parts.platformDomain}`)
  }

  function sendUnavailable(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    log.error({ err: error, host: req.headers.host, url: req.url }, 'a site could not be shown')
    if (res.headersSent) res.destroy()
    else sendPage(req, res, unavailablePage)
  }

  function sendPage(req: IncomingMessage, res: ServerResponse, page: Reply): void {
    send(res, req.method === 'HEAD' ? withoutBody(page) : page)
  }
}

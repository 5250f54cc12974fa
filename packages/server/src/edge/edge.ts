import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Manifest } from '../deployments/manifest.ts'
import type { SiteRecord, SiteTarget } from '../projects/site.ts'
import { contentAtHand } from './content-at-hand.ts'
import { ContentCache, type ContentLimits } from './content-cache.ts'
import type { LaneAnswer } from './fast-lane.ts'
import { classifyHost, type HostNames, labelOf } from './host.ts'
import { badRequestPage, unavailablePage, unknownHostPage } from './pages.ts'
import { remember } from './remember.ts'
import type { RequestHead } from './request-head.ts'
import { type RequestTarget, readRequestTarget } from './request-target.ts'
import { respond } from './respond.ts'
import { noBody, type Reply, withoutBody } from './response.ts'
import { Site } from './site.ts'
import { SiteCache, type SiteChange } from './site-cache.ts'
import { createWire } from './wire.ts'

export interface SiteSource {
  find(target: SiteTarget): Promise<SiteRecord | null>
  /** Only asked for records that have a deployment. */
  manifest(record: SiteRecord & { deploymentId: string }): Promise<Manifest>
}

export interface EdgeParts extends HostNames {
  dashboardUrl: string
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
  const sites = new SiteCache({
    load: (target) => loadSite(parts.sites, target),
    onOutdated: (target, error) =>
      log.error({ err: error, site: labelOf(target) }, 'a site is shown as it was'),
  })
  const contents = new ContentCache(parts.blobs, parts.contentLimits)
  const send = createWire({ blobs: parts.blobs, contents, log })
  const toDashboard: Reply = {
    status: 302,
    headers: ['Location', parts.dashboardUrl, 'Content-Length', '0', 'Cache-Control', 'no-store'],
    body: noBody,
  }

  return { handle, answerFromMemory, changed: (change) => sites.changed(change) }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const target = readRequestTarget(req.url ?? '')
    const route = routeOf(target.authority ?? req.headers.host ?? '')
    switch (route.kind) {
      case 'project':
      case 'preview':
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
    if (route.kind !== 'project' && route.kind !== 'preview') return null
    const site = sites.get(route)
    if (site === undefined) return sites.load(route)
    if (site === null) return null
    try {
      const reply = respond(site, request.method, readRequestTarget(request.target), request.headers)
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

  function serve(route: SiteTarget, target: RequestTarget, req: IncomingMessage, res: ServerResponse): void {
    const site = sites.get(route)
    if (site !== undefined) show(site, route, target, req, res)
    else {
      sites.load(route).then(
        (loaded) => show(loaded, route, target, req, res),
        (error: unknown) => sendUnavailable(req, res, error),
      )
    }
  }

  function show(
    site: Site | null,
    route: SiteTarget,
    target: RequestTarget,
    req: IncomingMessage,
    res: ServerResponse,
  ): void {
    try {
      if (site !== null) send(res, respond(site, req.method ?? 'GET', target, req.headers))
      else sendPage(req, res, unknownHostPage(`${labelOf(route)}.${parts.platformDomain}`))
    } catch (error) {
      sendUnavailable(req, res, error)
    }
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

async function loadSite(sites: SiteSource, target: SiteTarget): Promise<Site | null> {
  const record = await sites.find(target)
  if (record === null) return null
  const { deploymentId } = record
  const manifest = deploymentId === null ? new Map() : await sites.manifest({ ...record, deploymentId })
  return new Site(record, manifest, target.kind === 'preview')
}

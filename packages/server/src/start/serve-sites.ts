import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
import { findChallenge } from '../certificates/read.ts'
import { rangeMatcher } from '../config/address-ranges.ts'
import { type Addresses, listenerAddresses } from '../config/addresses.ts'
import { createCdns } from '../config/cdns.ts'
import type { Config } from '../config/config.ts'
import { openFilesLimit, shareDescriptors } from '../config/file-descriptors.ts'
import { readManifest, readRules } from '../deployments/manifest-document.ts'
import { findRoute, findSite } from '../domains/read.ts'
import { createEdge, type EdgeParts } from '../edge/edge.ts'
import { createHttpsListener, type HttpsListener } from '../edge/https-listener.ts'
import { createListener, type Listener } from '../edge/listener.ts'
import type { ResponseCounts } from '../edge/response-counts.ts'
import { createExplain } from '../edge/sites/explain.ts'
import type { HostNames } from '../edge/sites/host.ts'
import { certificateChangeOf, siteChangeOf } from '../edge/sites/site-change.ts'
import type { SiteSource } from '../edge/sites/site-router.ts'
import { createOpenSocket } from '../edge/sockets/site-socket.ts'
import { Turn } from '../edge/sockets/turn.ts'
import type { InheritedSockets, ListeningSocket } from '../kernel/sockets/listening-socket.ts'
import { RouteAnswers } from '../outgoing/route-token.ts'
import { createMemberCheck } from '../protection/members.ts'
import { Passes } from '../protection/passes.ts'
import { useTicket } from '../protection/use-ticket.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { openSiteKey } from '../secrets/site-key.ts'
import { reportRefused } from './logging/refused-connections.ts'
import { openHttps } from './open-https.ts'
import type { Storage } from './open-storage.ts'

export interface EdgeListeners {
  http: Pick<Listener, 'connections' | 'refused'>
  https: Pick<HttpsListener, 'connections' | 'refused' | 'handshakes'>
}

export function registerEdgeMetrics(metrics: Registry, listeners: EdgeListeners): void {
  const each = Object.entries({ http: listeners.http, https: listeners.https })
  new Gauge({
    name: 'masthead_edge_connections',
    help: 'Open connections',
    labelNames: ['port'],
    registers: [metrics],
    collect() {
      for (const [port, listener] of each) this.set({ port }, listener.connections())
    },
  })
  new Counter({
    name: 'masthead_edge_connections_refused_total',
    help: 'Connections closed immediately because of the connection limit',
    labelNames: ['port'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const [port, listener] of each) this.inc({ port }, listener.refused())
    },
  })
  new Counter({
    name: 'masthead_edge_handshakes_total',
    help: 'TLS handshakes by how they ended',
    labelNames: ['result'],
    registers: [metrics],
    collect() {
      this.reset()
      const { refused, ...ended } = listeners.https.handshakes
      for (const [result, count] of Object.entries({ ...ended, ...refused })) this.inc({ result }, count)
    },
  })
}

export interface ServeSitesParts {
  storage: Storage
  sealing: Sealing
  config: Pick<
    Config,
    | 'platformDomain'
    | 'dashboardHost'
    | 'host'
    | 'httpPort'
    | 'httpsPort'
    | 'httpsRedirect'
    | 'fastSockets'
    | 'cas'
    | 'platformCertificate'
    | 'trustedProxies'
    | 'countryHeader'
    | 'proxyRanges'
    | 'workers'
  >
  addresses: Addresses
  /** The dashboard and the API, wherever they run. */
  platform: EdgeParts['platform']
  /** Whether other processes listen on the same ports. */
  sharesPorts: boolean
  inherited: InheritedSockets
  responses: ResponseCounts
  metrics: Registry
  log: Logger
}

export interface RunningListeners {
  /** For a process that replaces this one. */
  sockets(): Promise<ListeningSocket[]> | ListeningSocket[]
  /** Accepts nothing new, lets running requests finish for `graceMs`, then closes what is left. */
  close(graceMs: number, idleMs?: number): Promise<void>
}

/** Runs the edge in this process, alone or as one of several. */
export async function serveSites(parts: ServeSitesParts): Promise<RunningListeners> {
  const { storage, sealing, config, addresses, platform, sharesPorts, inherited, responses, metrics, log } =
    parts
  const names = hostNames(config)
  const sites = siteSource(storage, config)
  const https = await openHttps({ context: { ...storage, sealing }, names, config, log })
  const siteKey = await openSiteKey({ ...storage, sealing })
  const passes = new Passes(siteKey)
  const { countryHeader } = config
  const proxies = {
    isProxy: rangeMatcher(config.trustedProxies),
    country: countryHeader?.toLowerCase() ?? null,
    cdns: createCdns(config.proxyRanges),
  }
  const shares = shareDescriptors(openFilesLimit(), config.workers)
  const turn = new Turn()
  const edge = createEdge({
    ...names,
    proxies,
    maxOpenFiles: shares.files,
    dashboardUrl: addresses.dashboard,
    originOf: addresses.plain,
    https: { originOf: addresses.secure, redirect: config.httpsRedirect },
    findChallenge: (token) => findChallenge(storage, token),
    routeAnswers: new RouteAnswers(siteKey),
    protection: {
      passes,
      now: storage.now,
      useTicket: (ticket) => useTicket(storage, ticket),
      isMember: createMemberCheck(storage, storage.changes),
    },
    sites,
    blobs: storage.blobs,
    platform,
    responses,
    turn,
    log,
  })
  storage.changes.subscribe((change) => {
    const siteChange = siteChangeOf(change)
    if (siteChange !== null) edge.changed(siteChange)
    const certificateChange = certificateChangeOf(change)
    if (certificateChange !== null) https.certificates.changed(certificateChange)
  })
  const common = {
    host: config.host,
    reusePort: sharesPorts,
    handle: edge.handle,
    readInTurn: edge.readInTurn,
    sites: {
      answers: edge.answers,
      isPlatformName: edge.isPlatformName,
      isSite: edge.refuser.isSite,
      openSocket: createOpenSocket(config.fastSockets, turn),
      log,
    },
    refuser: edge.refuser,
    proxies,
    limits: { maxConnections: shares.connectionsPerPort },
  }
  const at = (port: number) => ({ port, inherited: inherited.take(config.host, port) })
  const plain = await createListener({ ...common, ...at(config.httpPort) })
  const secure = await createHttpsListener({
    ...common,
    ...at(config.httpsPort),
    handleStream: edge.handleStream,
    certificates: https.certificates,
    ticketKeys: https.ticketKeys,
  }).catch(async (error: unknown) => {
    await plain.close(0)
    throw error
  })
  registerEdgeMetrics(metrics, { http: plain, https: secure })
  const { connectionsPerPort } = shares
  const stopReporting = reportRefused({ listeners: [plain, secure], connectionsPerPort, log })
  return {
    sockets: () => [...plain.sockets(), ...secure.sockets()],
    async close(graceMs, idleMs) {
      await Promise.all([plain.close(graceMs, idleMs), secure.close(graceMs, idleMs)])
      stopReporting()
      https.close()
    },
  }
}

/** For the API: how this server answers an address. */
export function explainSites(storage: Storage, config: HostConfig): ReturnType<typeof createExplain> {
  return createExplain(siteSource(storage, config), hostNames(config))
}

type HostConfig = Pick<Config, 'platformDomain' | 'dashboardHost' | 'host' | 'countryHeader'>

function hostNames({ platformDomain, dashboardHost, host }: HostConfig): HostNames {
  return { platformDomain, dashboardHost, listenerAddresses: listenerAddresses(host) }
}

function siteSource(storage: Storage, config: HostConfig): SiteSource {
  const { platformDomain, countryHeader } = config
  return {
    countryHeader,
    platformDomain,
    find: (target) => findSite(storage, target, platformDomain),
    async manifest({ deploymentId }) {
      const manifest = await readManifest(storage.blobs, deploymentId)
      if (manifest === null) throw new Error(`The manifest of ${deploymentId} is missing`)
      return manifest
    },
    rules: ({ deploymentId }) => readRules(storage.blobs, deploymentId),
    route: (hostname) => findRoute(storage, hostname, platformDomain),
  }
}

import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Addresses } from './addresses.ts'
import { findChallenge } from './certificates/read.ts'
import type { Sealing } from './certificates/sealing.ts'
import type { Config } from './config.ts'
import { readManifest } from './deployments/manifest-document.ts'
import { findRoute, findSite } from './domains/read.ts'
import { createEdge, type EdgeParts } from './edge/edge.ts'
import { createHttpsListener } from './edge/https-listener.ts'
import { createListener } from './edge/listener.ts'
import type { SiteSource } from './edge/places.ts'
import { proxiesIn } from './edge/proxies.ts'
import { certificateChangeOf, siteChangeOf } from './edge/site-change.ts'
import { measureEdge } from './edge-metrics.ts'
import { listenerAddresses } from './listener-addresses.ts'
import { openFilesLimit, shareDescriptors } from './open-files.ts'
import { openHttps } from './open-https.ts'
import type { Storage } from './open-storage.ts'

export interface SiteServing {
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
    | 'ca'
    | 'platformCertificate'
    | 'trustedProxies'
    | 'workers'
  >
  addresses: Addresses
  /** The dashboard and the API, wherever they run. */
  platform: EdgeParts['platform']
  /** Whether other processes listen on the same ports. */
  sharesPorts: boolean
  /** Absent: nobody asks this process. */
  metrics?: Registry
  log: Logger
}

export interface Front {
  /** Accepts nothing new, lets running requests finish for `graceMs`, then cuts off what is left. */
  close(graceMs: number): Promise<void>
}

/** The edge as one process runs it, whether it is the only one or one of several. */
export async function serveSites(parts: SiteServing): Promise<Front> {
  const { storage, sealing, config, addresses, platform, sharesPorts, metrics, log } = parts
  const names = {
    platformDomain: config.platformDomain,
    dashboardHost: config.dashboardHost,
    listenerAddresses: listenerAddresses(config.host),
  }
  const sites = siteSource(storage, config.platformDomain)
  const https = await openHttps({ context: { ...storage, sealing }, names, config, sites, log })
  const isProxy = proxiesIn(config.trustedProxies)
  const shares = shareDescriptors(openFilesLimit(), config.workers)
  const edge = createEdge({
    ...names,
    isProxy,
    mostOpenFiles: shares.files,
    dashboardUrl: addresses.dashboard,
    originOf: addresses.plain,
    https: { originOf: addresses.secure, redirect: config.httpsRedirect },
    findChallenge: (token) => findChallenge(storage, token),
    sites,
    blobs: storage.blobs,
    platform,
    log,
  })
  storage.changes.subscribe((change) => {
    const siteChange = siteChangeOf(change)
    if (siteChange !== null) edge.changed(siteChange)
    const certificateChange = certificateChangeOf(change)
    if (certificateChange !== null) https.certificates.changed(certificateChange)
  })
  const ways = {
    host: config.host,
    reusePort: sharesPorts,
    handle: edge.handle,
    answerFromMemory: edge.answerFromMemory,
    refuser: edge.refuser,
    isProxy,
    limits: { maxConnections: shares.connectionsPerPort },
  }
  const plain = await createListener({ ...ways, port: config.httpPort })
  const secure = await createHttpsListener({
    ...ways,
    port: config.httpsPort,
    handleStream: edge.handleStream,
    certificates: https.certificates,
    ticketKeys: https.ticketKeys,
  }).catch(async (error: unknown) => {
    await plain.close(0)
    throw error
  })
  if (metrics !== undefined) measureEdge(metrics, { http: plain, https: secure })
  return {
    async close(graceMs) {
      await Promise.all([plain.close(graceMs), secure.close(graceMs)])
      https.close()
    },
  }
}

function siteSource(storage: Storage, platformDomain: string): SiteSource {
  return {
    find: (target) => findSite(storage, target, platformDomain),
    async manifest({ deploymentId }) {
      const manifest = await readManifest(storage.blobs, deploymentId)
      if (manifest === null) throw new Error(`The manifest of ${deploymentId} is missing`)
      return manifest
    },
    route: (hostname) => findRoute(storage, hostname, platformDomain),
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics } from 'prom-client'
import { forgetInterruptedRequests } from '../api/idempotency.ts'
import { RejectionDelay } from '../api/identity/rejection-delay.ts'
import { createChangeStreams } from '../api/live/change-streams.ts'
import { readPackages } from '../api/offered-packages.ts'
import { createApi } from '../api/server.ts'
import { BlobsUnavailableError } from '../blobs/blob-store.ts'
import { rangeMatcher } from '../config/address-ranges.ts'
import { createAddresses } from '../config/addresses.ts'
import { type Config, ConfigError, ownEnvironment, readConfig } from '../config/config.ts'
import { configWarnings, warningText } from '../config/config-warnings.ts'
import { openFilesLimit, openFilesWarning, shareDescriptors } from '../config/file-descriptors.ts'
import { isStorageFull } from '../database/database-errors.ts'
import { createInstallationId } from '../database/installation-id.ts'
import { DeploysUnderWay } from '../deployments/deploys-under-way.ts'
import { findSite } from '../deployments/read.ts'
import { createBlobCommitter } from '../deployments/upload/commit-blobs.ts'
import { keepReport } from '../doctor/keep-report.ts'
import type { DomainContext } from '../domains/context.ts'
import { createRoutes } from '../domains/dns-check/observe-route.ts'
import { createListener } from '../edge/listener.ts'
import { finishRequests } from '../edge/node-http/finish-requests.ts'
import { GatheredMetrics } from '../edge-processes/gathered-metrics.ts'
import { startEdgeProcesses } from '../edge-processes/start-edge-processes.ts'
import { offerHandover } from '../handover/hand-over.ts'
import { connectedFlag, replaceFlag } from '../handover/messages.ts'
import { receiveSockets, restartConnected, type Takeover } from '../handover/take-over.ts'
import { packageFolder, packageVersion, programFile } from '../kernel/program/own-files.ts'
import { Shutdown, type Stop } from '../kernel/program/process-lifetime.ts'
import { handleOfDescriptor, InheritedSockets } from '../kernel/sockets/listening-socket.ts'
import { removeOldSockets } from '../kernel/sockets/process-sockets.ts'
import { metricsAccess } from '../kernel/tokens.ts'
import { RouteAnswers } from '../outgoing/route-token.ts'
import { Passes } from '../protection/passes.ts'
import { openOperatorKey } from '../secrets/operator-key.ts'
import { openSiteKey } from '../secrets/site-key.ts'
import { startErrorText } from './errors/start-error-text.ts'
import { prepareFirstLink, publishFolder } from './first-start.ts'
import { printGreeting } from './greeting.ts'
import { reportRefused } from './logging/refused-connections.ts'
import { openLog } from './logging/server-log.ts'
import { registerDependencies } from './metrics/dependencies.ts'
import { countResponses, measureApi } from './metrics/responses.ts'
import { nodeSettings, openCertificates, openSealingKeys } from './open-certificates.ts'
import { openChallengeDns, openDns, publicDns } from './open-dns.ts'
import { countForwarded, examine } from './open-doctor.ts'
import { openLimiter } from './open-limiter.ts'
import { openDataFolder, openStorage, stagingFolder } from './open-storage.ts'
import { recordsForChallenges, wantsPlatformWildcard } from './platform-names.ts'
import { explainSites, type RunningListeners, serveSites } from './serve-sites.ts'
import { collectLessOften } from './tune-garbage-collector.ts'
import { answerWithoutApi } from './without-api.ts'
import { probingOf, startWorker } from './worker.ts'

const dashboardFolder = join(packageFolder, '..', 'dashboard', 'dist')
const packageFolders = {
  commandLine: join(packageFolder, '..', 'cli', 'dist'),
  client: join(packageFolder, '..', 'client', 'dist'),
  contract: join(packageFolder, '..', 'contract', 'dist'),
}
const docsFolder = join(packageFolder, '..', '..', 'docs')
const sampleFolder = join(packageFolder, 'sample', 'hello')

/** Builds everything and passes it in. Resolves to the function that stops it. */
async function start(config: Config, takeover: Takeover | null, shutdown: Shutdown): Promise<Stop> {
  collectLessOften()
  const serverLog = openLog(config.logLevel)
  const { log } = serverLog
  const warnings = configWarnings(config)
  for (const warning of [...warnings, openFilesWarning(openFilesLimit())]) {
    if (warning !== null) log.warn(warningText(warning))
  }
  await openDataFolder(config.dataFolder, log)
  const metrics = new GatheredMetrics()
  collectDefaultMetrics({ register: metrics.own })
  serverLog.countLost(metrics.own)
  const storage = await openStorage(config, log, { metrics: metrics.own, checksStore: true })
  serverLog.watch(storage.database)
  registerDependencies(metrics.own, { database: storage.database, dataFolder: config.dataFolder })
  const { database, now, blobs, changes } = storage
  for (const mustStop of [database.outdated, storage.wrongStore]) {
    void mustStop.then((reason) => {
      log.error(reason)
      shutdown.request()
    })
  }
  await createInstallationId(storage)
  const { dns, lab } = await openDns(storage, config, { replaces: takeover !== null, log })
  const sealing = await openSealingKeys(storage, config, log)
  await database.describeNode(nodeSettings(config))
  const certificates = await openCertificates(storage, sealing, dns, config, log)
  const challengeDns = await openChallengeDns(storage, config, metrics.own, log)
  const addresses = createAddresses(config)
  const siteKey = await openSiteKey({ ...storage, sealing })
  const context: DomainContext = {
    database,
    now,
    changes,
    blobs,
    limits: config.uploadLimits,
    deploys: new DeploysUnderWay(),
    knowsCountries: config.countryHeader !== null,
    platformDomain: config.platformDomain,
    spoolFolder: stagingFolder(config.dataFolder),
    dns,
    addresses,
    routes: createRoutes({
      dns,
      addresses,
      platformDomain: config.platformDomain,
      ranges: config.proxyRanges,
      redirectsToHttps: config.httpsRedirect,
      answers: new RouteAnswers(siteKey),
    }),
    naming: {
      ...config,
      challengeDns: config.dnsListen !== null,
      // A getter, because an ACME CA may announce its names later.
      get authorities() {
        return certificates.issuers.map((issuer, index) => {
          const identities = config.cas[index]?.identities ?? issuer.caIdentities()
          return { id: issuer.id, identities }
        })
      },
    },
  }
  const commitBlob = createBlobCommitter(context)
  const operatorKey = config.operatorKey ?? (await openOperatorKey({ ...storage, ...config, sealing, log }))
  const mayReadMetrics = metricsAccess(operatorKey, config.metricsToken)
  const limiter = await openLimiter(context, { redisUrl: config.redisUrl, metrics: metrics.own, log })
  const streams = createChangeStreams(changes, log)
  const isAlone = database.dialect === 'sqlite' && takeover === null
  if (isAlone) await forgetInterruptedRequests(context)

  const version = await packageVersion()
  const packages = await readPackages(packageFolders, addresses.dashboard)
  const sample = { folder: sampleFolder, slug: 'hello', name: 'Hello' }
  const firstToken = config.roles.has('api')
    ? await prepareFirstLink(context, (accountId) =>
        publishFolder(context, commitBlob, { ...sample, accountId }).catch((error: unknown) => {
          if (!(error instanceof BlobsUnavailableError || isStorageFull(error))) throw error
          log.warn({ err: error }, 'could not publish the sample: the next start tries again')
        }),
      )
    : null
  const isProxy = rangeMatcher(config.trustedProxies)
  const forwarded = countForwarded(isProxy)
  const api = config.roles.has('api')
    ? await createApi({
        context,
        addresses,
        commitBlob,
        explain: explainSites(storage, config),
        operatorKey,
        limiter,
        passes: new Passes(siteKey),
        rejectionDelay: new RejectionDelay(),
        sealing,
        publicDns: publicDns(config),
        streams,
        lab,
        internalRoot: certificates.root,
        config,
        dashboardFolder,
        packages,
        docsFolder,
        version,
        metrics,
        mayReadMetrics,
        isLeaving: () => shutdown.isLeaving,
        doctorReport: keepReport(() =>
          examine(config, { context, dns, forwarded: forwarded.requests, configWarnings: warnings }),
        ),
        log,
      })
    : null
  const responses = countResponses(metrics.own)
  const answerPlatform =
    api === null
      ? answerWithoutApi({ metrics, mayReadMetrics, isLeaving: () => shutdown.isLeaving })
      : (req: IncomingMessage, res: ServerResponse) => {
          forwarded.count(req)
          api.routing(req, res)
        }
  const platform = measureApi(answerPlatform, responses.api, metrics.own)
  shutdown.mayServe({ drainMs: config.drainDelay, graceMs: config.stopGrace })
  const inherited = new InheritedSockets(takeover?.sockets ?? socketsOfServiceManager(config))
  const listeners = await openListeners()
  inherited.closeRest()
  if (takeover === null) await removeOldSockets(config)
  const handover = await offerHandover({
    place: config,
    sockets: async () => listeners.sockets(),
    onReplaced: () => shutdown.replaced(),
    log,
  })
  const worker = config.roles.has('worker')
    ? startWorker(context, {
        certificates,
        sealing,
        webhookDns: publicDns(config),
        probing: probingOf(config),
        mail: { settings: config.mail, dashboard: addresses.dashboard },
        wantsPlatformWildcard: wantsPlatformWildcard(config),
        isAlone,
        metrics: metrics.own,
        log,
      })
    : null
  if (config.roles.has('api')) {
    const sampleSite = await findSite(context, { kind: 'project', slug: sample.slug })
    printGreeting({
      print: serverLog.print,
      addresses,
      commandLine: packages.commandLine,
      lab: lab?.address ?? null,
      firstToken,
      sample: sampleSite?.deploymentId == null ? null : addresses.project(sample.slug),
      recordsToAdd: config.dnsListen === null ? [] : recordsForChallenges(config),
    })
  }

  /** Only the platform, an edge in this process, or several edge processes. */
  async function openListeners(): Promise<RunningListeners> {
    if (!config.roles.has('edge')) {
      const { connectionsPerPort } = shareDescriptors(openFilesLimit())
      const answer = finishRequests(platform)
      const listener = await createListener({
        host: config.host,
        port: config.httpPort,
        handle: answer,
        refuser: { platform: answer, isSite: () => false },
        proxies: { isProxy, country: null },
        limits: { maxConnections: connectionsPerPort },
        inherited: inherited.take(config.host, config.httpPort),
      })
      reportRefused({ listeners: [listener], connectionsPerPort, log })
      return listener
    }
    return config.workers === 1
      ? serveSites({
          storage,
          sealing,
          config,
          addresses,
          platform,
          sharesPorts: false,
          inherited,
          responses: responses.site,
          metrics: metrics.own,
          log,
        })
      : startEdgeProcesses({
          program: programFile('start/edge-process'),
          storage,
          config,
          platform,
          inherited,
          isLeaving: () => shutdown.isLeaving,
          metrics,
          log,
        })
  }

  if (takeover !== null) {
    await takeover.serving()
    // Until then the other process counts requests too.
    void takeover.ended
      .then(() => limiter.reload())
      .catch((err: unknown) => log.warn({ err }, 'could not read the request counts of the replaced process'))
  }
  return async ({ drainMs, graceMs, idleMs }) => {
    // The next worker resumes from stored state.
    const workerStops = Promise.race([worker?.stop(), sleep(drainMs + graceMs, undefined, { ref: false })])
    await sleep(drainMs)
    await handover.close()
    streams.close()
    await Promise.all([listeners.close(graceMs, idleMs), workerStops])
    await api?.close()
    await limiter.close()
    await lab?.close()
    await challengeDns?.close()
    serverLog.close()
    await storage.close()
  }
}

const shutdown = new Shutdown()
shutdown.onSignals()
let config: Config | null = null
try {
  config = readConfig()
  shutdown.hasStarted(await start(config, await takeOver(config), shutdown))
} catch (error) {
  const text = error instanceof ConfigError ? error.message : startErrorText(error, config)
  if (!shutdown.isRequested) process.stderr.write(`${text}\n`)
  shutdown.hasNotStarted()
}

/** `npm start -- --replace`: serves on the sockets of the running server, which then stops. */
async function takeOver(config: Config): Promise<Takeover | null> {
  const { argv } = process
  if (argv.includes(connectedFlag)) return receiveSockets()
  if (argv.includes(replaceFlag)) await restartConnected(config, ownEnvironment())
  return null
}

/** systemd opens the ports in the order of the socket unit, from descriptor 3 on. */
function socketsOfServiceManager({ host, httpPort, httpsPort, inheritedSockets }: Config) {
  const ports = [httpPort, httpsPort].slice(0, inheritedSockets)
  return ports.map((port, index) => ({ host, port, handle: handleOfDescriptor(3 + index) }))
}

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext, createServer as createTlsServer } from 'node:tls'
import { afterAllFiles } from '@masthead/testing/after-all-files.ts'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { startChallengeDns } from '@masthead/testing/peers/pebble/challenge-dns.ts'
import type { PebbleSettings } from '@masthead/testing/peers/pebble/pebble.ts'
import type { PebblePorts } from '@masthead/testing/peers/pebble/pebble-pool.ts'
import type { Database } from '../database/database.ts'
import { validationProtocol } from '../edge/tls/settings.ts'
import { openChangeFeed } from '../events/change-feed.ts'
import { challengePath } from '../kernel/challenge-path.ts'
import { createSealing } from '../secrets/sealing.ts'
import { createAcmeClient } from './acme/acme-client.ts'
import type { Fetch } from './acme/exchange.ts'
import { fetchWithRoots } from './acme/fetch-with-roots.ts'
import { type Authority, unknownAuthority } from './authorities/authorities.ts'
import type { CaaLookUp } from './caa/caa.ts'
import { type CertificateState, findCertificateStates, noCertificate } from './certificate-state.ts'
import type { IssuingContext } from './context.ts'
import { AuthorityOutages } from './failing/authority-outages.ts'
import type { CertificateProgress } from './jobs/issuance-job.ts'
import type { CertificateContext, Issuer } from './jobs/issuer.ts'
import { requestCertificate } from './jobs/request-certificate.ts'
import { type CertificateWorker, startCertificateWorker } from './jobs/worker.ts'
import { createAcmeIssuer } from './orders/acme-issuer.ts'
import type { Delegations } from './orders/delegations.ts'
import { findAlpnChallenge, findChallenge } from './read.ts'

export const masterKey = randomBytes(32)

export interface NodeOptions {
  issuer: (context: IssuingContext) => Issuer | Promise<Issuer>
  /** By how many milliseconds its clock is ahead. */
  clock?: { ahead: number }
  isAllowed?: (name: string) => boolean
  isGone?: (name: string) => boolean | Promise<boolean>
  /** Asked if the first cannot issue. */
  others?: NodeOptions['issuer'][]
  concurrency?: number
  /** For a node in another process. */
  key?: Buffer
}

/** One process of several that may share a database. */
export async function startNode(database: Database, options: NodeOptions) {
  const {
    clock = { ahead: 0 },
    isAllowed = () => true,
    isGone = () => false,
    others = [],
    concurrency = 50,
    key = masterKey,
  } = options
  const now = () => Date.now() + clock.ahead
  const changes = await openChangeFeed({ database, now }, { warn: () => {} })
  const heard: string[] = []
  changes.subscribe((change) => heard.push(`${change?.kind} ${change?.subject}`))
  const issuing: IssuingContext = { database, now, changes, sealing: createSealing([key]) }
  const context: CertificateContext = {
    ...issuing,
    issuers: [await options.issuer(issuing), ...(await Promise.all(others.map((open) => open(issuing))))],
  }
  const installed: string[] = []
  const progress: { name: string; progress: CertificateProgress }[] = []
  const errors: unknown[] = []
  const logged: { level: 'warn' | 'info'; details: object; message: string }[] = []
  const outages = new AuthorityOutages(
    {
      warn: (details, message) => logged.push({ level: 'warn', details, message }),
      info: (details, message) => logged.push({ level: 'info', details, message }),
    },
    now,
  )
  let worker: CertificateWorker | null = null

  const node = {
    context,
    clock,
    heard,
    installed,
    progress,
    errors,
    logged,
    work() {
      worker = startCertificateWorker(context, {
        concurrency,
        isAllowed: async (name) => isAllowed(name),
        isGone: async (name) => isGone(name),
        onInstalled: async (name) => void installed.push(name),
        onProgress: async (name, one) => void progress.push({ name, progress: one }),
        onTried: (issuer, outcome) => outages.tried(issuer, outcome),
        log: { error: (details) => errors.push(Reflect.get(details, 'err')) },
      })
    },
    async stopWorking() {
      await worker?.stop()
      worker = null
    },
    request: (...names: string[]) =>
      database.write(async (tx) => {
        for (const name of names) {
          await requestCertificate(context, tx, { name, reason: 'first', at: now() })
        }
      }),
    async state(name: string): Promise<CertificateState> {
      return (await findCertificateStates(database.read, [name], now())).get(name) ?? noCertificate
    },
    /** Polls until the condition holds. */
    async until(condition: () => boolean | Promise<boolean>): Promise<void> {
      for (let tries = 0; !(await condition()); tries++) {
        if (tries === 6_000)
          assert.fail(`The condition never held: ${JSON.stringify(progress.slice(-3))} ${errors}`)
        await sleep(20)
      }
    },
    /** Requests a certificate and waits until it is installed. */
    async get(name: string): Promise<void> {
      const before = installed.length
      await node.request(name)
      await node.until(() => installed.indexOf(name, before) >= 0)
    },
    async untilValid(...names: string[]): Promise<void> {
      await node.until(async () => {
        const states = await findCertificateStates(database.read, names, now())
        return names.every((name) => states.get(name)?.status === 'valid')
      })
    },
    /** After this its database may be gone. */
    isGone: false,
    async [Symbol.asyncDispose]() {
      node.isGone = true
      await node.stopWorking()
      changes.close()
    },
  }
  return node
}

export type Node = Awaited<ReturnType<typeof startNode>>

export interface IssuerUse {
  fetch?: (fetch: Fetch) => Fetch
  caaLookUp?: CaaLookUp
  delegations?: Delegations
  authority?: Partial<Authority>
}

export interface OwnPebbleOptions extends PebbleSettings {
  /** Starts what Pebble looks names up in. By default all names point here. */
  startDns?: (port: number) => Promise<AsyncDisposable>
}

/** Pebble, its nameserver, and the edge where it validates. */
async function startPebbleAndEdge({
  startDns = (port) => startChallengeDns({ port }),
  ...settings
}: OwnPebbleOptions = {}) {
  // If one of them fails to start, stop the others, or the test would hang.
  await using started = new AsyncDisposableStack()
  const pebble = started.use(await borrowPebble(settings))
  const edge = await startChallengeEdge(pebble)
  started.defer(() => edge.close())
  started.use(await startDns(pebble.dnsPort))
  const running = started.move()
  return { edge, pebble, stop: () => running.disposeAsync() }
}

type PebbleAndEdge = Awaited<ReturnType<typeof startPebbleAndEdge>>

/** The next test uses them again. */
const unused: PebbleAndEdge[] = []

afterAllFiles(() => Promise.all(unused.map(({ stop }) => stop())))

/** A CA that the test may pause, stop or configure. */
export const startOwnPebbleCa = async (options: OwnPebbleOptions = {}) => {
  const own = await startPebbleAndEdge(options)
  return pebbleCa(own, own.stop)
}

/** A CA that earlier tests may have used, with other accounts. */
export const startPebbleCa = async () => {
  const shared = unused.pop() ?? (await startPebbleAndEdge())
  return pebbleCa(shared, async () => {
    Object.assign(shared.edge, { node: null, requests: 0, tlsRequests: 0 })
    unused.push(shared)
  })
}

/** The edge responds to challenges from the database of a node. */
function pebbleCa({ pebble, edge }: PebbleAndEdge, stop: () => Promise<void>) {
  const orders: string[] = []
  const trustedFetch = fetchWithRoots(pebble.rootsPem)
  const countingFetch: Fetch = async (url, init) => {
    const answer = await trustedFetch(url, init)
    if (new URL(url).pathname === '/order-plz' && answer.status === 201) orders.push(url)
    return answer
  }
  const issuer = (using: IssuerUse = {}) => {
    const authority = { ...unknownAuthority(pebble.directoryUrl), ...using.authority }
    const fetch = using.fetch?.(countingFetch) ?? countingFetch
    const caaLookUp = using.caaLookUp ?? (async () => ({ records: [] }))
    return (context: IssuingContext) => {
      const client = createAcmeClient({ directoryUrl: pebble.directoryUrl, fetch, now: context.now })
      return createAcmeIssuer(context, {
        authority,
        client,
        caaLookUp,
        delegations: using.delegations ?? null,
      })
    }
  }
  return {
    pebble,
    edge,
    /** URLs of the orders that were created. */
    orders,
    directory: async () => (await trustedFetch(pebble.directoryUrl, {})).json() as Promise<object>,
    issuer,
    /** Starts a node whose worker runs and whose database the edge uses. */
    async startWorking(
      database: Database,
      using?: IssuerUse,
      more: Partial<NodeOptions> = {},
    ): Promise<Node> {
      const node = await startNode(database, { issuer: issuer(using), ...more })
      edge.node = node
      node.work()
      return node
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function startChallengeEdge({ httpPort, tlsPort }: PebblePorts) {
  const edge: { node: Node | null; requests: number; tlsRequests: number } = {
    node: null,
    requests: 0,
    tlsRequests: 0,
  }
  // Pebble may still send requests while and after the node goes.
  async function ask<T>(find: (context: Node['context']) => Promise<T | null>): Promise<T | null> {
    const { node } = edge
    if (node === null || node.isGone) return null
    return find(node.context).catch((error: unknown) => {
      if (node.isGone) return null
      throw error
    })
  }
  const http = createServer(async (request, response) => {
    edge.requests++
    const token = request.url?.replace(challengePath, '') ?? ''
    const answer = await ask((context) => findChallenge(context, token))
    response.writeHead(answer === null ? 404 : 200).end(answer)
  }).listen(httpPort, '127.0.0.1')
  const tls = createTlsServer({
    ALPNProtocols: [validationProtocol],
    SNICallback: async (name, done) => {
      edge.requests++
      edge.tlsRequests++
      const answer = await ask((context) => findAlpnChallenge(context, name))
      if (answer === null) return done(new Error('unknown'))
      done(null, createSecureContext({ cert: answer.certificatePem, key: answer.privateKeyPem }))
    },
  })
  tls.on('secureConnection', (socket) => socket.end())
  tls.on('tlsClientError', () => {})
  tls.listen(tlsPort, '127.0.0.1')
  await Promise.all([once(http, 'listening'), once(tls, 'listening')])
  return Object.assign(edge, {
    /** Makes connections to port 80 fail. */
    closeHttp() {
      http.closeAllConnections()
      http.close()
    },
    close() {
      http.closeAllConnections()
      http.close()
      tls.close()
    },
  })
}

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { endpoints } from '@masthead/contract/endpoints.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import type { Role, Scope } from '@masthead/contract/scopes.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createAccount } from '../accounts/account-lifecycle.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { createAddresses } from '../config/addresses.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { DeploysUnderWay } from '../deployments/deploys-under-way.ts'
import { createBlobCommitter } from '../deployments/upload/commit-blobs.ts'
import { createDns, type DnsServer } from '../dns/dns.ts'
import type { DomainContext } from '../domains/context.ts'
import { openChangeFeed } from '../events/change-feed.ts'
import { metricsAccess } from '../kernel/tokens.ts'
import { createKey } from '../keys/manage-keys.ts'
import { Journal } from '../limits/journal.ts'
import { createMemoryLimiter } from '../limits/memory-limiter.ts'
import { createPerson } from '../people/create-person.ts'
import { openSession } from '../people/sign-in/session.ts'
import { insertMember } from '../people/store.ts'
import { cheapHash } from '../protection/cheap-hash.test-kit.ts'
import { Passes } from '../protection/passes.ts'
import { createSealing } from '../secrets/sealing.ts'
import type { ApiParts } from './handler.ts'
import { RejectionDelay, type RejectionDelayOptions } from './identity/rejection-delay.ts'
import { type ChangeStreamLimits, createChangeStreams } from './live/change-streams.ts'
import { createApi } from './server.ts'

export type Caller = Record<string, string>
export const nobody: Caller = {}
export const operatorKey = 'an operator key that only these tests know'
export const by = { kind: 'system', id: null, name: 'The test' } as const

export interface Answer<T> {
  status: number
  headers: Headers
  text: string
  body: T
}

export type ApiUnderTest = Awaited<ReturnType<typeof startApi>>

type Config = Partial<
  ApiParts['config'] &
    Pick<ApiParts, 'dashboardFolder' | 'packages' | 'lab' | 'internalRoot' | 'doctorReport'> & {
      resolvers: readonly DnsServer[]
      streamLimits: Partial<ChangeStreamLimits>
      rejections: Partial<RejectionDelayOptions>
      blobs: BlobStore
    }
>
type ApiTest = (outcome: string, run: (api: ApiUnderTest) => Promise<void>, config?: Config) => void

/** Runs the same tests on an API over SQLite and on one over PostgreSQL; each test has its own. */
export function onEachApi(name: string, tests: (test: ApiTest) => void): void {
  onEachDatabase(name, (databases) => {
    tests((outcome, run, config) => {
      test(outcome, async () => {
        await using database = await databases.open()
        await using api = await startApi(database, config)
        await run(api)
      })
    })
  })
}

/** Nothing listens on port 1. */
const silentResolver: DnsServer = { address: '127.0.0.1', port: 1 }
const naming = { platformDomain: 'masthead.localhost', dashboardHost: 'localhost' }

/** The real API on a loopback port, with a real database and file store, and a clock that the test sets. */
export async function startApi(
  database: Database,
  {
    dashboardFolder = null,
    packages = { commandLine: null, client: null, contract: null },
    lab = null,
    internalRoot = null,
    resolvers = [silentResolver],
    streamLimits = {},
    rejections = { perSecond: Number.POSITIVE_INFINITY },
    doctorReport = () => null,
    blobs,
    ...config
  }: Config = {},
) {
  const folder = await temporaryFolder('masthead-api')
  const clock = { at: Date.UTC(2030, 0, 1) }
  const now = () => clock.at
  const logged: string[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) })
  const changes = await openChangeFeed({ database, now }, log)
  const context: DomainContext = {
    database,
    now,
    changes,
    blobs: blobs ?? (await createFileStore(folder.path)),
    limits: defaultUploadLimits,
    deploys: new DeploysUnderWay(),
    spoolFolder: blobs === undefined ? join(folder.path, 'staging') : folder.path,
    dns: createDns({ servers: resolvers, authoritativePort: resolvers[0]?.port ?? 53, allowPrivate: true }),
    addresses: createAddresses({ ...naming, httpPort: 8080, publicHttpsPort: 8443, httpsRedirect: false }),
    naming: { ...naming, edgeAddresses: ['127.0.0.1'], challengeDns: false, authorities: [] },
  }
  // A database object of its own: what tests do to the transactions of requests leaves the journal's alone.
  const journal = new Journal({ database: { ...database }, now }, log)
  const limiter = await createMemoryLimiter({ journal, now })
  const passes = new Passes(Buffer.alloc(32, 7))
  const streams = createChangeStreams(changes, log, streamLimits)
  const sealing = createSealing([randomBytes(32)])
  const app = await createApi({
    context,
    limiter,
    passes,
    sealing,
    publicDns: context.dns,
    rejectionDelay: new RejectionDelay(rejections),
    streams,
    lab,
    internalRoot,
    addresses: context.addresses,
    commitBlob: createBlobCommitter(context),
    // The edge explains, which no route here has.
    explain: async () => null,
    operatorKey,
    config: {
      platformDomain: naming.platformDomain,
      signup: 'invite',
      billing: 'none',
      trustedProxies: [],
      mail: null,
      httpsRedirect: false,
      dashboardHost: naming.dashboardHost,
      ...config,
    },
    dashboardFolder,
    packages,
    docsFolder: join(import.meta.dirname, '../../../../docs'),
    version: '1.2.3',
    metrics: new Registry(),
    mayReadMetrics: metricsAccess(operatorKey, null),
    isLeaving: () => false,
    doctorReport,
    log,
  })
  // As in the edge's listener: a request without a body has no stream.
  const handle = (req: IncomingMessage, res: ServerResponse) => app.routing(req, res)
  const server = createServer({ optimizeEmptyRequests: true, keepAliveTimeout: 0 }, handle)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`

  /** `route` is a method and a path. A `json` body is sent as JSON; other bodies come with their Content-Type. */
  async function send<T = ProblemDocument>(
    route: string,
    as: Caller,
    {
      json,
      headers,
      body,
    }: { json?: unknown; headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> } = {},
  ): Promise<Answer<T>> {
    const [method = '', path = ''] = route.split(' ')
    const jsonHeaders: Record<string, string> =
      json === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { ...jsonHeaders, ...as, ...headers },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
      redirect: 'manual',
    })
    const text = await response.text()
    await database.settled()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    if (isJson && response.ok) checkAnswer(method, path, JSON.parse(text))
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as T,
    }
  }

  const byKey = (secret: string): Caller => ({ Authorization: `Bearer ${secret}` })
  const bySession = (token: string): Caller => ({ Cookie: `masthead_session=${token}`, Origin: origin })

  return {
    context,
    sealing,
    clock,
    /** What the edge passes requests to. */
    handle,
    origin,
    logged,
    send,
    byKey,
    bySession,
    operator: byKey(operatorKey),

    newAccount: (name = 'Acme', plan: PlanName = 'free') =>
      database.write((tx) => createAccount(tx, { name, plan, by, at: now() })),

    async newKey(accountId: Id<'account'>, scopes: Scope[]): Promise<CreatedKey & { caller: Caller }> {
      const key = await database.write((tx) =>
        createKey(tx, { accountId, name: scopes.join(' and '), scopes, expiresAt: null, by, at: now() }),
      )
      return { ...key, caller: byKey(key.secret) }
    },

    /** A signed-in member. Few tests need a password. */
    async newPerson(
      accountId: Id<'account'>,
      role: Role,
      { email = newEmail(), operator = false, password = '' } = {},
    ) {
      const at = now()
      const passwordHash = password === '' ? '' : cheapHash(password, randomBytes(16))
      return database.write(async (tx) => {
        const input = { name: email, email, passwordHash, operator, at }
        const { id } = await createPerson(database, tx, input)
        await insertMember(tx, { account_id: accountId, person_id: id, role, joined_at: at })
        const { token } = await openSession(tx, { personId: id, accountId, at })
        return { id, email, token, caller: bySession(token) }
      })
    },

    async [Symbol.asyncDispose]() {
      streams.close()
      server.closeAllConnections()
      server.close()
      await app.close()
      await limiter.close()
      changes.close()
      await folder.remove()
    },
  }
}

const answers = Object.entries(endpoints).map(([name, { route }]) => {
  const [method, path = ''] = route.split(' ')
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)
  return { method, path, pattern, answer: (routes as Record<string, RouteSchemas>)[name]?.answer }
})

/** An answer must fit the contract exactly. The server itself does not validate what it sends. */
function checkAnswer(method: string, target: string, body: unknown): void {
  const [path = ''] = target.split('?')
  const matching = answers.filter((one) => one.method === method && one.pattern.test(path))
  const { answer } = matching.find((one) => one.path === path) ?? matching[0] ?? {}
  if (answer !== undefined) assert.deepEqual(answer.parse(body), body, `${method} ${path}`)
}

let people = 0

export function newEmail(): string {
  return `person-${++people}@example.com`
}

/** The session token in a sign-in response. */
export function sessionToken(answer: { headers: Headers }): string {
  const cookie = answer.headers.getSetCookie().find((line) => line.includes('masthead_session='))
  return /masthead_session=([^;]+)/.exec(cookie ?? '')?.[1] ?? ''
}

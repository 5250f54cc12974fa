import { randomBytes } from 'node:crypto'
import { type Client, createClient } from '@masthead/client/client.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { type RunningPostgres, startPostgres } from '@masthead/testing/peers/postgres.ts'
import { type RunningRedis, startRedis } from '@masthead/testing/peers/redis.ts'
import { type SeverableLink, startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { type RunningSwift, startSwift } from '@masthead/testing/peers/swift.ts'

export const engines = ['postgres', 'redis', 'files'] as const
export type Engine = (typeof engines)[number]

/** What each node does. Sites are served by two of them, and so is the API. */
const nodeRoles = { one: 'edge', two: 'api,edge,worker', three: 'api,worker' }

export interface ClusterNode {
  name: string
  isEdge: boolean
  isApi: boolean
  process: MastheadProcess
  /** Its own way to each engine. */
  links: Readonly<Record<Engine, SeverableLink>>
}

export interface Cluster extends AsyncDisposable {
  postgres: RunningPostgres
  redis: RunningRedis
  swift: RunningSwift
  nodes: readonly ClusterNode[]
  edges: readonly ClusterNode[]
  apis: readonly ClusterNode[]
  operatorKey: string
}

/** Three nodes with nothing in common but PostgreSQL, Redis, S3 and their settings. */
export async function startCluster(): Promise<Cluster> {
  await using started = new AsyncDisposableStack()
  const postgres = started.adopt(await startPostgres(), (server) => server.stop())
  const redis = started.use(await startRedis())
  const swift = started.use(await startSwift())
  const bucket = await swift.createBucket('sites')
  const operatorKey = randomBytes(24).toString('hex')
  const shared = {
    MASTHEAD_OPERATOR_KEY: operatorKey,
    MASTHEAD_MASTER_KEY: randomBytes(32).toString('hex'),
    MASTHEAD_BLOBS: `s3://${bucket}/masthead`,
    ...swift.settings,
  }
  const nodes: ClusterNode[] = []
  for (const [name, roles] of Object.entries(nodeRoles)) {
    const links = {
      postgres: started.use(await startSeverableLink(postgres.url)),
      redis: started.use(await startSeverableLink(redis.url)),
      files: started.use(await startSeverableLink(swift.endpoint)),
    }
    const env = {
      ...shared,
      MASTHEAD_ROLES: roles,
      DATABASE_URL: links.postgres.url,
      REDIS_URL: links.redis.url,
      MASTHEAD_S3_ENDPOINT: links.files.url,
      MASTHEAD_LAB_PORT: String(await freeDnsPort('127.0.0.1')),
    }
    const isEdge = roles.includes('edge')
    const isApi = roles.includes('api')
    nodes.push({
      name,
      isEdge,
      isApi,
      process: started.use(await MastheadProcess.start({ env })),
      links,
    })
  }
  const all = started.move()
  return {
    postgres,
    redis,
    swift,
    nodes,
    edges: nodes.filter(({ isEdge }) => isEdge),
    apis: nodes.filter(({ isApi }) => isApi),
    operatorKey,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Calls each API node in turn, once each: what fails is seen, not tried again. */
export class ApiNodes {
  readonly #clients: readonly Client[]
  #next = 0

  constructor(apis: readonly ClusterNode[], key: string) {
    this.#clients = apis.map(({ process: { origin } }) =>
      createClient({ server: origin, key, retry: { attempts: 1 } }),
    )
  }

  get next(): Client {
    const client = this.#clients[this.#next++ % this.#clients.length]
    if (client === undefined) throw new Error('The cluster has no API')
    return client
  }

  /** All of them, to compare what they say. */
  get each(): readonly Client[] {
    return this.#clients
  }
}

export interface ClusterAccount {
  id: string
  key: string
  api: ApiNodes
}

export async function createClusterAccount(
  { apis, operatorKey }: Cluster,
  limits: { perMinute: number; perDay: number },
): Promise<ClusterAccount> {
  const operator = new ApiNodes(apis, operatorKey).next
  const { account, key } = await operator.createAccount({ body: { name: 'Cluster', plan: 'enterprise' } })
  await operator.setAccountPlan({ params: { account: account.id }, body: { plan: 'enterprise', limits } })
  return { id: account.id, key: key.secret, api: new ApiNodes(apis, key.secret) }
}

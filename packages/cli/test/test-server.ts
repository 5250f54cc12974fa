import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { type Client, createClient } from '@masthead/client/client.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'

export interface TestAccount {
  id: Id<'account'>
  keyId: Id<'key'>
  key: string
  client: Client
}

/** A real server, with a lab for names under .localhost. */
export class TestServer {
  readonly masthead: MastheadProcess
  readonly operator: Client
  /** The account that the command line uses unless a test says otherwise. */
  readonly account: TestAccount

  private constructor(masthead: MastheadProcess, operator: Client, account: TestAccount) {
    this.masthead = masthead
    this.operator = operator
    this.account = account
  }

  static async start(env: Record<string, string> = {}): Promise<TestServer> {
    const labPort = String(await freeDnsPort('127.0.0.1'))
    const masthead = await MastheadProcess.start({
      env: { MASTHEAD_LAB_PORT: labPort, MASTHEAD_LOG: 'warn', ...env },
    })
    const { origin } = masthead
    const operatorKey = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()
    const operator = createClient({ server: origin, key: operatorKey })
    return new TestServer(masthead, operator, await createAccount(operator, origin, 'business'))
  }

  get origin(): string {
    return this.masthead.origin
  }

  /** Another account, which knows nothing of the first. */
  newAccount(plan: PlanName = 'business'): Promise<TestAccount> {
    return createAccount(this.operator, this.origin, plan)
  }

  /** Another account with limits of its own. */
  async limitedAccount(limits: { perMinute: number; perDay: number }): Promise<TestAccount> {
    const account = await this.newAccount('enterprise')
    await this.setLimits(account, limits)
    return account
  }

  async setLimits({ id }: TestAccount, limits: { perMinute: number; perDay: number }): Promise<void> {
    await this.operator.setAccountPlan({ params: { account: id }, body: { plan: 'enterprise', limits } })
  }

  /** The address of a project. */
  site(slug: string): string {
    return this.host(`${slug}.masthead.localhost`)
  }

  /** The address of any name that the server serves. */
  host(hostname: string): string {
    return `http://${hostname}:${this.masthead.httpPort}`
  }

  /** Deletes what a test left behind, so that the next one finds an empty account and an empty lab. */
  async clear(): Promise<void> {
    const { client } = this.account
    for (const { id } of (await client.listProjects()).items) {
      await client.deleteProject({ params: { project: id } })
    }
    const records = await client.listLabRecords().catch(() => ({ items: [] }))
    for (const { name, type } of records.items) await client.removeLabRecord({ params: { name, type } })
  }
}

async function createAccount(operator: Client, origin: string, plan: PlanName): Promise<TestAccount> {
  const { account, key } = await operator.createAccount({ body: { name: 'My team', plan } })
  const client = createClient({ server: origin, key: key.secret })
  return { id: account.id, keyId: key.id, key: key.secret, client }
}

interface FileServerOptions {
  env?: () => Promise<Record<string, string>>
  /** Run once, when the server has started. */
  prepare?: (server: TestServer) => Promise<void>
}

/** Starts a server before the tests of a file and stops it after them. */
export function serverForFile({ env, prepare }: FileServerOptions = {}): () => TestServer {
  let server: TestServer | undefined
  before(async () => {
    server = await TestServer.start(await env?.())
    await prepare?.(server)
  })
  after(() => server?.masthead.stop())
  return () => {
    if (server === undefined) throw new Error('The server starts with the first test.')
    return server
  }
}

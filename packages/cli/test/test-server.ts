import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before } from 'node:test'
import { type Client, createClient } from '@masthead/client/client.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { afterAllFiles } from '@masthead/testing/after-all-files.ts'
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
  readonly #accounts: TestAccount[]

  private constructor(masthead: MastheadProcess, operator: Client, account: TestAccount) {
    this.masthead = masthead
    this.operator = operator
    this.account = account
    this.#accounts = [account]
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

  /** The same server for another file, which gets an account of its own. */
  async withNewAccount(): Promise<TestServer> {
    const account = await createAccount(this.operator, this.origin, 'business')
    return new TestServer(this.masthead, this.operator, account)
  }

  get origin(): string {
    return this.masthead.origin
  }

  /** Another account, which knows nothing of the first. */
  async newAccount(plan: PlanName = 'business'): Promise<TestAccount> {
    const account = await createAccount(this.operator, this.origin, plan)
    this.#accounts.push(account)
    return account
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
    await deleteProjects(this.account)
    const records = await client.listLabRecords().catch(() => ({ items: [] }))
    for (const { name, type } of records.items) await client.removeLabRecord({ params: { name, type } })
  }

  /** Leaves the server to the next file: every slug is free, and nobody has to wait before a sign-in. */
  async leave(): Promise<void> {
    await this.clear()
    for (const account of this.#accounts) await deleteProjects(account)
    using database = new DatabaseSync(join(this.masthead.dataFolder, 'masthead.db'), { timeout: 5_000 })
    database.exec('DELETE FROM released_slugs; DELETE FROM attempts')
  }
}

async function deleteProjects({ client }: TestAccount): Promise<void> {
  for (const { id } of (await client.listProjects()).items) {
    await client.deleteProject({ params: { project: id } })
  }
}

async function createAccount(operator: Client, origin: string, plan: PlanName): Promise<TestAccount> {
  const { account, key } = await operator.createAccount({ body: { name: 'My team', plan } })
  const client = createClient({ server: origin, key: key.secret })
  return { id: account.id, keyId: key.id, key: key.secret, client }
}

let shared: Promise<TestServer> | undefined
/** As the last file of this process uses it. */
let lastUse: TestServer | undefined

/** The server of all files of this process that need no settings. */
async function sharedServer(): Promise<TestServer> {
  shared ??= TestServer.start()
  const server = await shared
  await lastUse?.leave()
  lastUse = await server.withNewAccount()
  return lastUse
}

afterAllFiles(async () => (await shared)?.masthead.stop())

interface FileServerOptions {
  /** Settings that only a server of its own can have. */
  env?: () => Promise<Record<string, string>>
  /** Run once, when the server has started. */
  prepare?: (server: TestServer) => Promise<void>
}

/** A server for the tests of a file, where nobody else's account has projects. */
export function serverForFile({ env, prepare }: FileServerOptions = {}): () => TestServer {
  let server: TestServer | undefined
  before(async () => {
    server = env === undefined ? await sharedServer() : await TestServer.start(await env())
    await prepare?.(server)
  })
  after(() => env && server?.masthead.stop())
  return () => {
    if (server === undefined) throw new Error('The server starts with the first test.')
    return server
  }
}

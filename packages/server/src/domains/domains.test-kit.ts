import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { PlanName } from '@masthead/contract/plans.ts'
import { createAccount } from '../accounts/account-lifecycle.ts'
import { createAddresses } from '../config/addresses.ts'
import type { Database } from '../database/database.ts'
import type { DeploymentContext } from '../deployments/deployment.ts'
import { by, startPublishing } from '../deployments/deployments.test-kit.ts'
import { createDns } from '../dns/dns.ts'
import type { Change } from '../events/change-feed.ts'
import { listEvents } from '../events/list-events.ts'
import type { ProjectRow } from '../projects/project.ts'
import { addDomain } from './claims/add-domain.ts'
import type { DomainContext } from './context.ts'
import type { DomainRow } from './domain.ts'
import { findDomainById, updateDomain } from './store.ts'

export { by }
export type Domains = Awaited<ReturnType<typeof startDomains>>

const naming = { platformDomain: 'masthead.localhost', dashboardHost: 'localhost' }
/** Nothing listens on port 1: these tests are about the database and never wait for DNS. */
const nobody = { address: '127.0.0.1', port: 1 }

export function withSilentDns(context: DeploymentContext): DomainContext {
  return {
    ...context,
    dns: createDns({ servers: [nobody], authoritativePort: nobody.port, allowPrivate: true }),
    addresses: createAddresses({ ...naming, httpPort: 8080, publicHttpsPort: 8443, httpsRedirect: false }),
    naming: { ...naming, edgeAddresses: ['127.0.0.1'], challengeDns: false, authorities: [] },
  }
}

/** An account with custom domains and a published project, on a real database, with a clock that the test controls. */
export async function startDomains(database: Database) {
  const publishing = await startPublishing(database)
  const context = withSilentDns(publishing.context)
  const { now } = context

  async function addPublished(slug: string, accountId: ProjectRow['account_id']): Promise<ProjectRow> {
    const project = await publishing.addProject(slug, accountId)
    await publishing.publish({ '/index.html': slug }, { of: project })
    return project
  }

  async function addCustomer(slug: string, plan: PlanName = 'pro') {
    const account = await database.write((tx) => createAccount(tx, { name: slug, plan, by, at: now() }))
    return { account, project: await addPublished(slug, account.id) }
  }

  /** On PostgreSQL a stopped host is announced twice. Waits until everything before has arrived. */
  async function hearToTheEnd(): Promise<void> {
    const end: Change = { kind: 'domain_stopped', subject: `the-end-${now()}` }
    publishing.heard.length = 0
    await database.write((tx) => context.changes.record(tx, end))
    const times = database.dialect === 'postgres' ? 2 : 1
    const heard = () => publishing.heard.filter((change) => change?.subject === end.subject).length
    while (heard() < times) await setImmediate()
  }

  const { account, project } = await addCustomer('acme')
  const found = (row: DomainRow | undefined) => row ?? assert.fail('The domain is gone')

  return {
    context,
    clock: publishing.clock,
    account,
    project,
    addCustomer,
    addPublished,
    addUnpublished: publishing.addProject,

    add: (hostname: string, { to = project, move = false } = {}) =>
      addDomain(context, { project: to, hostname, move, by }),

    /** As if DNS had been found right. */
    async prove({ id }: DomainRow, state: DomainRow['state'] = 'live'): Promise<DomainRow> {
      const change = { held: 1, state, verified_at: now(), next_check_at: now() + 1_000 }
      return found(await database.write((tx) => updateDomain(tx, id, change)))
    },

    /** As if another account had proved the name. */
    lose: ({ id }: DomainRow) => database.write((tx) => updateDomain(tx, id, { held: 0 })),

    async current({ id }: DomainRow): Promise<DomainRow> {
      return found(await findDomainById(database.read, id))
    },

    /** The changes of the feed while something runs, as kind and subject. The feed may repeat a change. */
    async heardDuring(work: () => Promise<unknown>): Promise<string[]> {
      await hearToTheEnd()
      publishing.heard.length = 0
      await work()
      return [...new Set(publishing.heard.map(inWords))].sort()
    },

    /** The last events of the account, newest first. */
    async events(limit: number, of = account) {
      const { items } = await listEvents(context, of.id, { limit })
      return items.map(({ type, data }) => ({ type, data }))
    },

    [Symbol.asyncDispose]: () => publishing[Symbol.asyncDispose](),
  }
}

function inWords(change: Change | null): string {
  return change === null ? 'everything' : `${change.kind} ${change.subject}`
}

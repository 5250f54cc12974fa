import assert from 'node:assert/strict'
import type { PlanName } from '@masthead/contract/plans.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import type { ZoneContent } from '@masthead/testing/peers/name-server.ts'
import { createAccount } from '../accounts/account-lifecycle.ts'
import { createAddresses } from '../config/addresses.ts'
import type { Database, Reader } from '../database/database.ts'
import { by, startPublishing } from '../deployments/deployments.test-kit.ts'
import { createDns, type DnsServer } from '../dns/dns.ts'
import { verifyDomain } from './checks/verify-domain.ts'
import { addDomain } from './claims/add-domain.ts'
import { removeDomain } from './claims/remove-domain.ts'
import type { DomainContext } from './context.ts'
import type { DomainRow, StoredCheck } from './domain.ts'
import { findRoute } from './read.ts'
import { findDomainOfAccount } from './store.ts'

export { by }
export type Checking = Awaited<ReturnType<typeof startChecking>>
export type Tenant = Awaited<ReturnType<Checking['addTenant']>>

export const naming = {
  platformDomain: 'masthead.test',
  dashboardHost: 'dashboard.test',
  edgeAddresses: ['192.0.2.10', '2001:db8::10'],
  challengeDns: false,
  authorities: [],
}

export const log = {
  error: (details: object) => assert.fail(String(Reflect.get(details, 'err'))),
}

/** Everything that checks need, with a real DNS server as both resolver and nameserver. */
export async function startChecking(database: Database, zones: Record<string, ZoneContent> = {}) {
  const nameserver = await startKnot({ zones })
  const checking = await startCheckingAt(database, nameserver)
  return {
    ...checking,
    nameserver,
    async [Symbol.asyncDispose]() {
      await nameserver.stop()
      await checking[Symbol.asyncDispose]()
    },
  }
}

export async function startCheckingAt(database: Database, nameserver: DnsServer) {
  const publishing = await startPublishing(database)
  const context: DomainContext = {
    ...publishing.context,
    dns: createDns({ servers: [nameserver], authoritativePort: nameserver.port, allowPrivate: true }),
    addresses: createAddresses({ ...naming, httpPort: 80, publicHttpsPort: 8443, httpsRedirect: false }),
    naming,
  }

  /** An account on a plan with domains, with a published project. */
  async function addTenant(slug: string, plan: PlanName = 'enterprise') {
    const account = await database.write((tx) =>
      createAccount(tx, { name: slug, plan, by, at: context.now() }),
    )
    const project = await publishing.addProject(slug, account.id)
    await publishing.publish({ '/index.html': slug }, { of: project })
    const add = (hostname: string, using = context, to = project) =>
      addDomain(using, { project: to, hostname, move: to !== project, by })
    return {
      account,
      project,
      add,
      verify: (hostname: string, using = context, of = project) =>
        verifyDomain(using, { project: of, hostname, by }),
      remove: (hostname: string) => removeDomain(context, { project, hostname, by }),
      async row(hostname: string): Promise<DomainRow> {
        const row = await findDomainOfAccount(database.read, account.id, hostname)
        // SQLite returns rows without a prototype, which are not deeply equal to plain objects.
        return { ...(row ?? assert.fail(`${slug} has no domain ${hostname}`)) }
      },
    }
  }

  return {
    ...publishing,
    context,
    addTenant,
    /** The slug of the project that is served at the name. */
    async servedAt(hostname: string): Promise<string | null> {
      const route = await findRoute(context, hostname, naming.platformDomain)
      return route?.kind === 'site' ? route.slug : null
    },
    [Symbol.asyncDispose]: () => publishing[Symbol.asyncDispose](),
  }
}

/** The changes of the feed as kind and subject. The feed may repeat a change. */
export function toldBy({ heard }: Pick<Checking, 'heard'>): string[] {
  return [...new Set(heard.map((change) => `${change?.kind} ${change?.subject}`))]
}

/** The zone file line that points the name to the domain's target. */
export function cname(row: DomainRow, label = 'www'): string {
  return `${label} 60 CNAME ${row.target}.cname.${naming.platformDomain}.`
}

export const apex = '@ 60 A 192.0.2.10'

export function txt(row: DomainRow): string {
  return `_masthead-challenge 60 TXT "${row.challenge}"`
}

/** An apex that points here, with the proof of this claim. */
export function provedApex(row: DomainRow): string {
  return `${apex}\n${txt(row)}`
}

/** The state of a claim, and whether it holds the name. */
export const outcome = (row: { state: string; held: number }) => [row.state, row.held]

/** What keeps the domain from being verified. */
export const stopsOf = (row: DomainRow) => findingsOf(row, 'stops')
/** Informational findings. */
export const tellsOf = (row: DomainRow) => findingsOf(row, 'tells')

function findingsOf({ last_check }: DomainRow, wanted: 'stops' | 'tells'): string[] {
  const { check }: StoredCheck = JSON.parse(last_check ?? assert.fail('It was never checked'))
  return check.findings.filter(({ effect }) => effect === wanted).map(({ code }) => code)
}

/** Kinds of the timeline, oldest first. */
export async function timelineOf(db: Reader, row: DomainRow): Promise<string[]> {
  const rows = await db
    .selectFrom('domain_timeline')
    .select('kind')
    .where('account_id', '=', row.account_id)
    .where('hostname', '=', row.hostname)
    .orderBy('id')
    .execute()
  return rows.map(({ kind }) => kind)
}

export async function domainEventsOf(db: Reader, { account_id }: DomainRow): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('type')
    .where('account_id', '=', account_id)
    .orderBy('id')
    .execute()
  return rows.map(({ type }) => type).filter((type) => type.startsWith('domain.'))
}

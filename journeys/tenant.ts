import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@masthead/client/client.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import type { MastheadProcess } from '@masthead/testing/masthead-process.ts'

export interface NewAccount {
  id: Id<'account'>
  key: { id: Id<'key'>; secret: string }
}

export async function operatorClient({ origin, dataFolder }: MastheadProcess): Promise<Client> {
  const key = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim()
  return createClient({ server: origin, key })
}

/** An account of its own, made by the operator, and its first key. */
export async function createAccount(masthead: MastheadProcess, plan: PlanName): Promise<NewAccount> {
  const operator = await operatorClient(masthead)
  const { account, key } = await operator.createAccount({ body: { name: 'Journey', plan } })
  return { id: account.id, key }
}

/** An account with one published project, whose front page is its slug. */
export interface Tenant {
  client: Client
  key: string
  slug: string
  add(hostname: string): Promise<Domain>
  domain(hostname: string): Promise<Domain>
  verify(hostname: string): Promise<Domain>
  remove(hostname: string): Promise<unknown>
}

export async function createTenant(masthead: MastheadProcess, slug: string): Promise<Tenant> {
  const publisher = await createPublisher(masthead)
  await publisher.createProject(slug)
  await publisher.publishArchive(slug, tarGz({ 'index.html': slug }))
  const { key } = publisher
  const client = createClient({ server: masthead.origin, key })
  const of = (hostname: string) => ({ params: { project: slug, hostname } })
  return {
    client,
    key,
    slug,
    add: (hostname) => client.addDomain({ params: { project: slug }, body: { hostname } }),
    domain: (hostname) => client.getDomain(of(hostname)),
    verify: (hostname) => client.verifyDomain(of(hostname)),
    remove: (hostname) => client.removeDomain(of(hostname)),
  }
}

/** What its owner has to set in DNS for it, by type. */
export function requiredRecord({ hostname, records }: Domain, type: 'CNAME' | 'ALIAS' | 'TXT'): string {
  const record = records.find((one) => one.type === type)
  if (record === undefined) throw new Error(`${hostname} asks for no ${type} record`)
  return record.value
}

/** The codes of what the last look at DNS found to be in the way. */
export function blockingFindings({ lastCheck }: Domain): string[] {
  return (lastCheck?.findings ?? []).filter(({ effect }) => effect === 'stops').map(({ code }) => code)
}

const liveTimeoutMs = 180_000

/** All domains of the tenant's project. */
export async function domainsOf({ client, slug }: Tenant): Promise<Domain[]> {
  const all: Domain[] = []
  let cursor: string | undefined
  do {
    const query = { limit: 100, ...(cursor !== undefined && { cursor }) }
    const { items, next } = await client.listDomains({ params: { project: slug }, query })
    all.push(...items)
    cursor = next ?? undefined
  } while (cursor !== undefined)
  return all
}

/** Waits, asking for nothing, until every domain is live. */
export async function waitUntilLive(tenant: Tenant): Promise<Domain[]> {
  const end = Date.now() + liveTimeoutMs
  for (;;) {
    const domains = await domainsOf(tenant)
    const waiting = domains.filter(({ state }) => state !== 'live')
    if (waiting.length === 0) return domains
    const [first] = waiting
    const why = JSON.stringify([
      first?.hostname,
      first?.state,
      first?.certificate,
      first?.lastCheck?.findings,
    ])
    assert.ok(Date.now() < end, `${waiting.length} of ${domains.length} are not live: ${why}`)
    // Listing hundreds takes the time of the server that works on them.
    await sleep(Math.max(200, 5 * waiting.length))
  }
}

import { type Client, createClient } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { createPublisher } from '@masthead/testing/publisher.ts'
import { tarGz } from '@masthead/testing/tar-gz.ts'

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

export async function newTenant(masthead: MastheadProcess, slug: string): Promise<Tenant> {
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
export function wantedRecord({ hostname, records }: Domain, type: 'CNAME' | 'ALIAS' | 'TXT'): string {
  const record = records.find((one) => one.type === type)
  if (record === undefined) throw new Error(`${hostname} asks for no ${type} record`)
  return record.value
}

/** The codes of what the last look at DNS found to be in the way. */
export function obstacles({ lastCheck }: Domain): string[] {
  return (lastCheck?.findings ?? []).filter(({ effect }) => effect === 'stops').map(({ code }) => code)
}

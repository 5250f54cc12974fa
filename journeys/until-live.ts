import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { Tenant } from './tenant.ts'

const patience = 180_000

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
export async function untilLive(tenant: Tenant): Promise<Domain[]> {
  for (const end = Date.now() + patience; ; await sleep(200)) {
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
  }
}

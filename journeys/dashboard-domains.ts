import { setTimeout as sleep } from 'node:timers/promises'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DashboardVisit } from '@masthead/testing/dashboard-visit.ts'
import type { Locator, Page } from 'playwright-core'
import { wantedRecord } from './tenant.ts'

/** A project whose front page is its slug, on a plan with domains of one's own; each of these is live. */
export async function furnishDomains(
  { call, publish }: DashboardVisit,
  slug: string,
  hostnames: string[],
): Promise<void> {
  await call('PUT /v1/account/plan', { plan: 'pro' })
  await call('POST /v1/projects', { slug })
  await publish(slug, { 'index.html': slug })
  for (const hostname of hostnames) {
    const domain = await call<Domain>(`POST /v1/projects/${slug}/domains`, { hostname })
    await call(`PUT /v1/lab/records/${hostname}/CNAME`, { values: [wantedRecord(domain, 'CNAME')] })
    await call(`POST /v1/projects/${slug}/domains/${hostname}/verify`, {})
  }
  for (const hostname of hostnames) {
    const state = async () => (await call<Domain>(`GET /v1/projects/${slug}/domains/${hostname}`)).state
    while ((await state()) !== 'live') await sleep(100)
  }
}

/** Where the page tells that a domain is in this state. */
export function told(page: Page, hostname: string, state: string): Locator {
  return page.getByRole('status').filter({ hasText: `${hostname}: ${state}` })
}

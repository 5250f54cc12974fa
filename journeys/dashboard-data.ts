import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import type { DashboardVisit } from '@masthead/testing/clients/dashboard-visit.ts'
import { requestUntil } from '@masthead/testing/clients/request-until.ts'
import { until } from '@masthead/testing/until.ts'
import type { Locator, Page } from 'playwright-core'
import { requiredRecord } from './tenant.ts'

/** A key whose client ignores Retry-After until it is banned. */
export async function getBanned({ masthead, call }: DashboardVisit, name: string): Promise<CreatedKey> {
  const key = await call<CreatedKey>('POST /v1/keys', { name, scopes: ['read'] })
  await requestUntil('key_banned', { origin: masthead.origin, key: key.secret })
  return key
}

/** A project whose index page is its slug, on a plan with custom domains; all of these are live. */
export async function seedDomains(
  { call, publish }: DashboardVisit,
  slug: string,
  hostnames: string[],
): Promise<void> {
  await call('PUT /v1/account/plan', { plan: 'pro' })
  await call('POST /v1/projects', { slug })
  await publish(slug, { 'index.html': slug })
  for (const hostname of hostnames) {
    const domain = await call<Domain>(`POST /v1/projects/${slug}/domains`, { hostname })
    await call(`PUT /v1/lab/records/${hostname}/CNAME`, { values: [requiredRecord(domain, 'CNAME')] })
    await call(`POST /v1/projects/${slug}/domains/${hostname}/verify`, {})
  }
  for (const hostname of hostnames) {
    const state = async () => (await call<Domain>(`GET /v1/projects/${slug}/domains/${hostname}`)).state
    await until(async () => (await state()) === 'live')
  }
}

/** The status of a domain on the page. */
export function domainStatus(page: Page, hostname: string, state: string): Locator {
  return page.getByRole('status').filter({ hasText: `${hostname}: ${state}` })
}

const page = (title: string) => `<!doctype html>
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
<h1>${title}</h1>
<p>How we work here, what to do on the first day, and whom to ask about the rest.
<ul><li><a href="/guides/first-day">Your first day</a><li><a href="/guides/holidays">Holidays</a></ul>`

const files = {
  'index.html': page('The handbook'),
  'about.html': page('About us'),
  'guides/first-day.html': page('Your first day'),
  'guides/holidays.html': page('Holidays'),
  'style.css': 'body { font: 24px/1.5 Georgia, serif; margin: 8vw; max-width: 32em } h1 { font-size: 3em }',
}

export const signedOutPaths = ['/sign-in', '/welcome', '/join', '/no/such/page']

/** Creates content for every page of an account, in as many states as possible. Returns the paths of the pages. */
export async function seedAccount(visit: DashboardVisit): Promise<string[]> {
  const { call } = visit
  await getBanned(visit, 'scraper')
  await call('PUT /v1/account/plan', { plan: 'pro' })
  await call('PATCH /v1/account', { name: 'Acme' })
  await call('POST /v1/keys', { name: 'ci-deploy', scopes: ['read', 'deploy'] })
  await call('POST /v1/invitations', { email: 'grace@example.com', role: 'developer' })
  await call('POST /v1/webhooks', { url: 'https://example.com/hooks/masthead', events: ['key.revoked'] })

  await call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  await visit.publish('handbook', { 'index.html': page('Draft') })
  const { id } = await visit.publish('handbook', files)
  await call('POST /v1/projects', { slug: 'empty', name: 'Nothing published yet' })
  const name = 'A project with a name that goes on and on, as some do, to the end of the line'
  await call('POST /v1/projects', { slug: 'a-slug-as-long-as-slugs-may-be-here-mine', name })

  const domains = 'projects/handbook/domains'
  const add = (hostname: string) => call<Domain>(`POST /v1/${domains}`, { hostname })
  const set = (name: string, type: string, value: string) =>
    call(`PUT /v1/lab/records/${name}/${type}`, { values: [value] })
  const live = await add('www.acme.localhost')
  await set(live.hostname, 'CNAME', requiredRecord(live, 'CNAME'))
  const old = await add('old.acme.localhost')
  await set(old.hostname, 'CNAME', requiredRecord(old, 'CNAME'))
  await add('help.acme.localhost')
  await set('help.acme.localhost', 'A', '203.0.113.7')
  await add('bücher.localhost')
  for (const { hostname } of [live, old]) {
    await call(`POST /v1/${domains}/${hostname}/verify`, {})
    const state = async () => (await call<Domain>(`GET /v1/${domains}/${hostname}`)).state
    await until(async () => (await state()) === 'live')
  }
  await call(`POST /v1/${domains}/help.acme.localhost/verify`, {})
  const { record } = await call<Proof>('POST /v1/proofs', { domain: 'acme.localhost' })
  await set(record.fqdn, 'TXT', record.value)
  for (const domain of ['acme.localhost', 'waiting.localhost']) {
    await call('POST /v1/proofs', { domain })
    await call(`POST /v1/proofs/${domain}/verify`, {})
  }
  await call('PUT /v1/projects/handbook/domain-config', {
    domains: {
      primary: live.hostname,
      redirects: [{ from: old.hostname, to: live.hostname, status: 308 }],
    },
  })
  return [
    '/',
    '/new',
    '/proofs',
    '/keys',
    '/webhooks',
    '/usage',
    '/activity',
    '/members',
    '/plan',
    '/projects/handbook',
    '/projects/empty',
    '/projects/handbook/deployments',
    `/projects/handbook/deployments/${id}`,
    '/projects/handbook/activity',
    '/projects/handbook/settings',
    '/projects/handbook/settings/domains',
    '/projects/handbook/settings/domains/help.acme.localhost',
    '/projects/handbook/settings/domains/www.acme.localhost',
    '/projects/handbook/settings/domains/records',
    '/projects/handbook/settings/serving',
    '/projects/handbook/settings/danger-zone',
    '/person',
    '/operator',
    '/operator/sites',
    '/operator/people',
    '/operator/bans',
    '/operator/certificates',
    '/operator/health',
    '/cli',
  ]
}

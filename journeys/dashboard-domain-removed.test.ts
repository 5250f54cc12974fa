import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { DashboardVisit } from '@masthead/testing/clients/dashboard-visit.ts'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { domainStatus, seedDomains } from './dashboard-data.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

const [name, old] = ['www.acme.localhost', 'old.acme.localhost'] as const
const staging = 'staging.acme.localhost'

test('a removed domain is gone from the page and the edge immediately, and Undo restores everything', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead } = visit
  await seedDomains(visit, 'acme', [name, old, staging])
  await visit.call('PUT /v1/projects/acme/domain-config', {
    domains: { primary: name, redirects: [{ from: old, to: name, status: 308 }] },
  })
  await visit.open('/projects/acme/settings/domains')

  await page.getByRole('button', { name: `Remove ${old}` }).click()
  const redirecting = page.getByRole('dialog', { name: `Remove ${old}?` })
  await redirecting.getByText(`It no longer redirects to ${name}.`).waitFor()
  assert.equal(await redirecting.getByText('does not redirect').count(), 0)
  await page.keyboard.press('Escape')
  await redirecting.waitFor({ state: 'detached' })
  await domainStatus(page, old, 'Live').waitFor()

  await page.getByRole('button', { name: `Remove ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `Remove ${name}?` })
  await dialog
    .getByText('It is the primary domain. acme.masthead.localhost becomes primary instead.')
    .waitFor()
  await dialog.getByText(`${old} no longer redirects and shows the site itself.`).waitFor()
  await dialog.getByText(`${name} does not redirect.`).waitFor()
  using connection = await OpenConnection.to(masthead.httpPort)
  assert.equal((await connection.ask(name)).status, 200)
  // The page does not wait for the response.
  const gone = Promise.withResolvers<void>()
  await page.route(`**/domains/${name}`, async (route) => {
    if (route.request().method() === 'DELETE') await gone.promise
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Remove domain' }).click()
  const heading = page.getByRole('heading', { name })
  await heading.waitFor({ state: 'detached' })
  gone.resolve()

  // The toast stays while the pointer is over it.
  await page.getByText(`${name} was removed.`).hover()
  assert.equal((await connection.ask(name)).status, 404)
  assert.equal((await visitHost(masthead, name)).status, 404)
  assert.equal((await visitHost(masthead, old)).body, 'acme')
  await page.getByText(`Links to ${name} no longer work.`).waitFor()
  await page.getByText('No redirects yet.').waitFor()

  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('main').and(page.locator(':focus')).waitFor()
  await page.getByText(`${name} was added again.`).waitFor()
  await heading.waitFor()
  // Its DNS record still exists.
  await domainStatus(page, name, 'Live').waitFor()
  assert.equal(await page.getByLabel('Primary domain').inputValue(), name)
  await page.getByRole('table', { name: 'Redirects' }).getByRole('row', { name: old }).waitFor()
  assert.equal((await visitHost(masthead, name)).body, 'acme')
  assert.equal((await visitHost(masthead, old)).status, 308)
  assert.equal(await page.getByText('no longer work').count(), 0)

  await undoWithBranch(visit)
  await removeWithoutConfig(visit)

  // A long list folds.
  for (let number = 10; number < 22; number++) {
    await visit.call('POST /v1/projects/acme/domains', { hostname: `soon-${number}.acme.localhost` })
  }
  const cards = page.getByRole('list', { name: /omains/ }).getByRole('heading', { level: 2 })
  await page.getByText(/\d more domains? (is|are) not live$/).click()
  await page.getByText(/\d more domains? (is|are) live$/).click()
  await until(async () => (await cards.count()) === 15)

  await removeBelowWildcard(visit)
  assert.deepEqual(visit.faults, [])
})

/** A domain that shows a branch never shows what is live in its place. */
async function undoWithBranch(visit: DashboardVisit): Promise<void> {
  const { page } = visit
  await visit.publish('acme', { 'index.html': 'what comes next' }, 'next')
  await visit.call(`PATCH /v1/projects/acme/domains/${staging}`, { branch: 'next', proxied: 'cloudflare' })
  await page.getByText('Shows next', { exact: true }).waitFor()

  async function removeAndUndo() {
    await page.getByRole('button', { name: `Remove ${staging}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
    await page.getByText(`${staging} was removed.`).hover()
    await page.getByRole('button', { name: 'Undo' }).click()
  }
  await removeAndUndo()
  await page.getByText(`${staging} was added again. We are checking DNS.`).waitFor()
  await page.getByText('Shows next', { exact: true }).waitFor()
  const restored = await visit.call<Domain>(`GET /v1/projects/acme/domains/${staging}`)
  assert.equal(restored.branch, 'next')
  assert.equal(restored.proxied?.provider, 'cloudflare')

  await page.route(`**/domains/${staging}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await removeAndUndo()
  await page
    .getByText(`${staging} was added again, but without its branch next and its proxy.`)
    .waitFor({ timeout: 30_000 })
}

/** The connection is lost right after the removal. */
async function removeWithoutConfig({ page, call }: DashboardVisit): Promise<void> {
  let isRemoved = false
  await page.route('**/domain-config', (route) => (isRemoved ? route.abort() : route.continue()))
  await page.route(`**/domains/${staging}`, async (route) => {
    isRemoved = route.request().method() === 'DELETE'
    await route.continue()
  })
  await page.getByRole('button', { name: `Remove ${staging}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
  const told = page.getByText(new RegExp(`^${staging} was (not )?removed\\.`))
  assert.equal(await told.textContent(), `${staging} was removed.`)
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
  await page.unrouteAll()
  await call('POST /v1/projects/acme/domains', { hostname: staging })
}

async function removeBelowWildcard(visit: DashboardVisit): Promise<void> {
  const { page, call } = visit
  const [hostname, domains] = ['*.acme.localhost', '/v1/projects/acme/domains']
  await call('PUT /v1/account/plan', { plan: 'business' })
  const { records } = await call<Domain>(`POST ${domains}`, { hostname })
  for (const { fqdn, type, value } of records) {
    await call(`PUT /v1/lab/records/${fqdn}/${type}`, { values: [value] })
  }
  await call(`POST ${domains}/${hostname}/verify`, {})
  await domainStatus(page, hostname, 'Live').waitFor()

  const covered = `${hostname} covers it: links to it will show what ${hostname} shows.`
  await page.getByRole('button', { name: `Remove ${old}` }).click()
  const dialog = page.getByRole('dialog', { name: `Remove ${old}?` })
  await dialog.getByText(covered).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await visit.open(`/projects/acme/settings/domains/${name}`)
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByText(covered).waitFor()
  assert.equal(
    await page
      .getByRole('dialog')
      .getByText(/stops working|break/)
      .count(),
    0,
  )
}

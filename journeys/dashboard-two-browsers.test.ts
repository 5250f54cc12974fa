import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  collectPageErrors,
  type DashboardVisit,
  visitDashboard,
} from '@masthead/testing/clients/dashboard-visit.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Locator, Page } from 'playwright-core'

const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>`

/** Another member, in a browser without timers, so that only the stream can update the page. */
async function colleague({ call, faults }: DashboardVisit) {
  const browser = await startChromium()
  await browser.context.addInitScript('globalThis.setInterval = () => 0')
  const view = await browser.context.newPage()
  collectPageErrors(view, faults)
  const email = 'grace@example.com'
  const { url } = await call<{ url: string }>('POST /v1/invitations', { email, role: 'developer' })
  await view.goto(url)
  await view.getByLabel('Your name').fill('Grace Hopper')
  await view.getByRole('textbox', { name: 'Password' }).fill('a long password')
  await view.getByRole('button', { name: 'Join' }).click()
  await view.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
  return { page: view, [Symbol.asyncDispose]: () => browser.close() }
}

/** Milliseconds from a click in one page until the other shows, or hides, a name. */
async function delay(from: Page, to: Page, name: string, shown: boolean, click: Locator): Promise<number> {
  await from.evaluate(`addEventListener('click', () => { globalThis.clickedAt = Date.now() }, true)`)
  const seenAt = to.evaluate<number>(`new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('main')?.innerText.includes(${JSON.stringify(name)}) !== ${shown}) return
      observer.disconnect()
      done(Date.now())
    })
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  })`)
  await click.click()
  return (await seenAt) - (await from.evaluate<number>('globalThis.clickedAt'))
}

test('two browsers see changes of the other within a second, without a reload or polling', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async (t) => {
  await using visit = await visitDashboard()
  await visit.call('PUT /v1/account/plan', { plan: 'pro' })
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  const first = await visit.publish('handbook', { 'index.html': page('First') })
  const second = await visit.publish('handbook', { 'index.html': page('Second') })
  await using stack = new AsyncDisposableStack()
  const grace = stack.use(await colleague(visit)).page
  const ada = visit.page
  await grace.evaluate('globalThis.neverReloaded = true')

  await visit.open('/projects/handbook/settings')
  await ada.getByLabel('Name').fill('Our manual')
  const renamed = await delay(ada, grace, 'Our manual', true, ada.getByRole('button', { name: 'Save' }))

  await grace.getByRole('link', { name: 'Our manual' }).click()
  await grace.getByRole('link', { name: 'Deployments' }).click()
  const row = grace.getByRole('list', { name: 'Deployments' }).getByRole('listitem')
  await row.filter({ hasText: second.id }).getByText('Live', { exact: true }).waitFor()
  await visit.open('/projects/handbook/deployments')
  await ada.getByRole('button', { name: `Roll back to this: ${first.id}` }).click()
  await row.filter({ hasText: first.id }).getByText('Live', { exact: true }).waitFor()

  const name = 'help.acme.localhost'
  await grace.getByRole('link', { name: 'Settings' }).click()
  await grace.getByRole('link', { name: 'Domains' }).click()
  await grace.getByRole('textbox', { name: 'Domain' }).waitFor()
  await visit.open('/projects/handbook/settings/domains')
  await ada.getByRole('textbox', { name: 'Domain' }).fill(name)
  const added = await delay(ada, grace, name, true, ada.getByRole('button', { name: 'Add domain' }))

  // And the other way round.
  await grace.getByRole('button', { name: `Remove ${name}` }).click()
  const remove = grace.getByRole('dialog').getByRole('button', { name: 'Remove' })
  const removed = await delay(grace, ada, name, false, remove)

  t.diagnostic(`milliseconds until visible: renamed ${renamed}, added ${added}, removed ${removed}`)
  // The median, because the machine may be busy.
  const [, median = Infinity] = [renamed, added, removed].sort((one, other) => one - other)
  assert.ok(median < 1000)
  assert.equal(await grace.evaluate('globalThis.neverReloaded'), true)
  assert.deepEqual(visit.faults, [])
})

test('a browser without a stream still sees the change', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitDashboard()
  await visit.browser.context.route('**/v1/stream?*', (route) => route.abort())
  await visit.open('/')
  await visit.page.getByText('Drop a folder or an archive').waitFor()
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  await visit.page.getByRole('link', { name: 'Handbook', exact: true }).waitFor()
  assert.deepEqual(visit.faults, [])
})

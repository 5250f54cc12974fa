import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { seedDomains } from './dashboard-data.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

const [own, name] = ['acme.masthead.localhost', 'www.acme.localhost'] as const

test('a live domain can become the primary one, and a checkbox redirects the default subdomain to it', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead } = visit
  const port = masthead.httpPort
  await seedDomains(visit, 'acme', [name])
  const address = (host: string) =>
    page.getByRole('main').getByRole('link', { name: `${host}:${port}`, exact: true })

  await visit.open('/projects/acme')
  await address(own).waitFor()
  assert.equal(await address(name).count(), 0)

  await visit.publish('acme', { 'index.html': 'what comes next' }, 'next')
  await visit.call(`PATCH /v1/projects/acme/domains/${name}`, { branch: 'next' })
  await visit.open('/projects/acme/settings/domains')
  await page.getByRole('option', { name: `${name} (shows next)` }).waitFor({ state: 'attached' })
  assert.equal(await page.getByRole('button', { name: 'Make it the primary domain' }).count(), 0)
  await visit.call(`PATCH /v1/projects/acme/domains/${name}`, { branch: null })
  await page.getByRole('button', { name: 'Make it the primary domain' }).click()
  await page.getByText(`The primary domain is now ${name}.`).waitFor()
  assert.equal(await page.getByLabel('Primary domain').inputValue(), name)
  // Nothing redirects automatically.
  assert.equal((await visitHost(masthead, own)).body, 'acme')

  const redirect = page.getByRole('checkbox', { name: `Redirect ${own} to it` })
  const click = async (after: boolean) => {
    await redirect.click()
    await until(async () => (await redirect.isChecked()) === after)
  }
  await click(true)
  await page.getByText(`${own} now redirects to ${name}.`).waitFor()
  assert.equal((await visitHost(masthead, own)).status, 301)
  assert.equal((await visitHost(masthead, name)).body, 'acme')
  // Changes that do not wait for each other are all saved, in order.
  for (let count = 0; count < 3; count++) {
    await click(false)
    await click(true)
  }
  await click(false)
  await until(async () => (await visitHost(masthead, own)).body === 'acme')
  await click(true)
  await until(async () => (await visitHost(masthead, own)).status === 301)

  await visit.open('/projects/acme')
  await address(name).waitFor()
  await address(own).waitFor()
  const open = page.getByRole('main').getByRole('link', { name: 'Open', exact: true })
  assert.equal(await open.getAttribute('href'), `http://${name}:${port}`)
  assert.deepEqual(visit.faults, [])
})

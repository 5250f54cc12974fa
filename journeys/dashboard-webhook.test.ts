import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

test('a webhook added in the dashboard gets a test and events, and shows how they were answered', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  const received: string[] = []
  let status = 200
  const endpoint = createServer(async (incoming, outgoing) => {
    received.push(JSON.parse(await text(incoming)).type)
    outgoing.writeHead(status).end('<b>thanks</b>')
  }).listen(0, '127.0.0.1')
  await once(endpoint, 'listening')
  using _ = { [Symbol.dispose]: () => endpoint.close() }
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`

  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const form = page.getByRole('dialog', { name: 'Add webhook' })
  await form.getByLabel('Address').fill('ftp://example.com')
  await form.getByRole('button', { name: 'Add webhook' }).click()
  await form.getByText('must start with https://').waitFor()
  await form.getByLabel('Address').fill(url)
  await form.getByLabel('Events', { exact: true }).selectOption({ label: 'Only some' })
  await form.getByRole('checkbox', { name: 'project.created' }).check()
  await form.getByRole('button', { name: 'Add webhook' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the signing secret' })
  const secret = await shown.getByRole('code').first().innerText()
  assert.match(secret, /^whsec_/)
  await shown.getByRole('button', { name: 'Done' }).click()
  await page.reload()
  await page.getByText('Active').waitFor()
  assert.ok(!(await page.content()).includes(secret))

  await page.getByRole('button', { name: 'Send a test' }).click()
  await until(() => received.includes('webhook.test'))
  await visit.call('POST /v1/projects', { slug: 'told' })
  await visit.call('POST /v1/keys', { name: 'not told', scopes: ['read'] })
  await until(() => received.includes('project.created'))
  await page.locator('summary', { hasText: 'Deliveries' }).click()
  const table = page.getByRole('table', { name: `Deliveries to ${url}` })
  const row = table.getByRole('row', { name: 'project.created' })
  await row.getByText('Delivered').waitFor()
  await row.getByText(/^200 after \d+ ms$/).waitFor()
  await row.getByRole('button', { name: /^Show project\.created/ }).click()
  const details = page.getByRole('dialog', { name: 'project.created' })
  await details.getByText('<b>thanks</b>').waitFor()
  await page.keyboard.press('Escape')

  status = 500
  await row.getByRole('button', { name: /^Resend project\.created/ }).click()
  await until(() => received.filter((type) => type === 'project.created').length >= 2)
  await table.getByText('Waiting').first().waitFor()
  assert.ok(!received.includes('key.created'))

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Events of this time are not sent later.').waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove webhook' }).click()
  await page.getByText('No webhooks yet').waitFor()
  assert.deepEqual(visit.faults, [])
})

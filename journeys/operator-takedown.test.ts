import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from '@masthead/testing/clients/visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'
import { createTenant } from './tenant.ts'

const reason = 'A court order of 3 May.'

test('a site is taken down and restored in the page, an account suspended, and a new one gets its owner', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using dashboard = await visitInSharedBrowser()
  const { page, masthead } = dashboard
  const { client } = await createTenant(masthead, 'rumours')
  const { name: account } = await client.getAccount()
  const { url } = await client.getProject({ params: { project: 'rumours' } })
  const visitSite = () => visit(masthead, 'rumours', '/')
  assert.equal((await visitSite()).status, 200)

  await page.goto(`${masthead.origin}/operator/sites`)
  await page.getByLabel('Search sites').fill(`${url}/some/page?x=1`)
  await page.getByRole('button', { name: 'Take down rumours' }).click()
  const dialog = page.getByRole('dialog', { name: 'Take down rumours' })
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: 'Take down site' }).click()
  await page.getByText(`451: ${reason}`).waitFor()
  const down = await visitSite()
  assert.equal(down.status, 451)
  assert.ok(down.body.includes(reason))
  assert.equal((await client.getProject({ params: { project: 'rumours' } })).takedown?.reason, reason)
  await page.getByRole('button', { name: 'Restore rumours' }).click()
  await page.getByRole('button', { name: 'Restore site' }).click()
  await page.getByText('rumours was restored.').waitFor()
  assert.equal((await visitSite()).status, 200)

  await page.getByRole('link', { name: 'Accounts' }).click()
  await page.getByRole('button', { name: `Suspend ${account}` }).click()
  await page.getByLabel('Reason').fill('Three invoices are unpaid.')
  await page.getByRole('button', { name: 'Suspend account' }).click()
  await page.getByText('Suspended: Three invoices are unpaid.').waitFor()
  assert.equal((await visitSite()).status, 503)
  await assert.rejects(client.listProjects({ query: {} }), { code: 'account_suspended' })

  await page.getByRole('button', { name: 'Create account' }).click()
  const creating = page.getByRole('dialog', { name: 'Create account' })
  await creating.getByLabel('Name').fill('Harbour')
  await creating.getByLabel('Owner’s email').fill('grace@example.com')
  await creating.getByRole('button', { name: 'Create account' }).click()
  const ready = page.getByRole('dialog', { name: 'Harbour is ready' })
  await ready.getByText('Send this link to grace@example.com').waitFor()
  assert.match(await ready.getByRole('code').last().innerText(), /\/join#/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { domainStatus, seedDomains } from './dashboard-data.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

const names = ['docs.acme.localhost', 'www.acme.localhost']

test('a downgrade lists the domains it will suspend, and an upgrade restores them', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead } = visit
  await seedDomains(visit, 'acme', names)
  const statuses = async () => {
    const visits = await Promise.all(names.map((name) => visitHost(masthead, name)))
    return visits.map(({ status }) => status)
  }

  await page.getByRole('link', { name: 'Plan' }).click()
  const toFree = page.getByRole('button', { name: 'Change to Free' })
  await toFree.click()
  const dialog = page.getByRole('dialog', { name: 'Change to Free and suspend 2 domains?' })
  const listed = dialog.getByRole('list', { name: 'Domains that would be suspended' })
  await listed.waitFor()
  assert.deepEqual(await listed.getByRole('listitem').allInnerTexts(), names)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await statuses(), [200, 200])

  await toFree.click()
  await dialog.getByRole('button', { name: 'Change to Free' }).click()
  await page.getByText('The plan is now Free.').waitFor()
  assert.deepEqual(await statuses(), [404, 404])

  await visit.open('/projects/acme/settings/domains')
  for (const name of names) await domainStatus(page, name, 'Suspended').waitFor()
  assert.equal((await visitHost(masthead, 'acme.masthead.localhost')).body, 'acme')

  await page
    .getByText('The domains below are suspended and not served. Upgrading restores them automatically')
    .waitFor()
  await page.getByRole('link', { name: 'Compare plans' }).click()
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await page.getByText('The plan is now Pro.').waitFor()
  await page.goBack()
  for (const name of names) await domainStatus(page, name, 'Live').waitFor()
  assert.deepEqual(await statuses(), [200, 200])
  assert.deepEqual(visit.faults, [])
})

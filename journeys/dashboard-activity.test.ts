import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

/** More than a page of the list has. */
const projects = 55

test('activity names and filters every project, and links only those that exist', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  for (let number = 10; number < 10 + projects; number++) {
    await visit.call('POST /v1/projects', { slug: `site-${number}` })
  }
  await visit.call('DELETE /v1/projects/site-11')
  await visit.open('/activity?kind=project')
  const rows = page.getByRole('main').getByRole('listitem')
  const row = (words: string) => rows.filter({ hasText: words }).first()
  await page.getByRole('option', { name: 'site-10', exact: true }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Show more' }).click()
  await row('The project site-10 was created').getByRole('link', { name: 'site-10' }).first().waitFor()
  await row('The project site-11 was deleted').waitFor()
  assert.equal(await row('The project site-11 was created').getByRole('link').count(), 0)
  assert.equal(await page.getByText('prj_').count(), 0)

  await page.getByLabel('Project').selectOption('site-10')
  await row('The project site-64').waitFor({ state: 'detached' })
  await row('The project site-10 was created').waitFor()
  assert.deepEqual(visit.faults, [])
})

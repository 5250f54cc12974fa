import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectPageErrors } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { getBanned } from './dashboard-data.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

test('a banned key shows the time left and the reason, and works again once the operator lifts the ban', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead } = visit
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByText('No keys yet').waitFor()

  const { secret } = await getBanned(visit, 'scraper')
  const refusal = async () => {
    const headers = { authorization: `Bearer ${secret}` }
    const response = await fetch(`${masthead.origin}/v1/whoami`, { headers })
    return ((await response.json()) as { code?: string }).code
  }
  assert.equal(await refusal(), 'key_banned')

  // The page was open all the time and updated itself.
  const row = page.getByRole('table', { name: 'API keys' }).getByRole('row', { name: 'scraper' })
  await row.getByText(/^Banned, \d+ (min|s) left$/).waitFor()
  const why = page.getByRole('alert').filter({ hasText: 'scraper kept sending requests after 429.' })
  await why.getByText(/requests? arrived before Retry-After had passed\. The ban ends at \d\d:\d\d/).waitFor()

  await page.getByRole('link', { name: 'Usage' }).click()
  await row.getByText(/^Banned, \d+ (min|s) left$/).waitFor()
  await why.waitFor()
  const figure = async (meter: string, of: 'value' | 'max') =>
    Number(await page.getByRole('meter', { name: meter }).getAttribute(of))
  const allowed = await figure('This minute', 'max')
  assert.ok(allowed > 0)
  assert.ok((await figure('Today', 'value')) >= allowed, 'it used up its requests per minute before the ban')

  const operator = await visit.browser.context.newPage()
  collectPageErrors(operator, visit.faults)
  await operator.goto(`${masthead.origin}/operator/bans`)
  const ban = operator.getByRole('table', { name: 'Banned keys' }).getByRole('row', { name: 'scraper' })
  await ban.getByText(/^in \d+ (min|s)$/).waitFor()
  await ban.getByRole('button', { name: 'Lift ban on scraper' }).click()
  await operator.getByText('scraper is no longer banned.').waitFor()
  await operator.getByText('No banned keys').waitFor()

  await row.getByText('Active').waitFor()
  await why.waitFor({ state: 'detached' })
  assert.notEqual(await refusal(), 'key_banned')
  assert.deepEqual(visit.faults, [])
})

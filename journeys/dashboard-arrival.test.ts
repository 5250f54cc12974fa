import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

test('a page opens at its top with the focus, and going back restores the scroll position', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser({}, { viewport: { width: 900, height: 400 } })
  const { page } = visit
  for (let number = 10; number < 30; number++) {
    await visit.call('POST /v1/projects', { slug: `site-${number}`, name: `Site ${number}` })
  }
  await visit.open('/')
  // The second time, the code of the page is already loaded.
  for (const name of ['Site 10', 'Site 11']) {
    await page.getByRole('link', { name, exact: true }).focus()
    const position = await page.evaluate<number>('scrollY')
    assert.ok(position > 0, 'the link is far down the page')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.getByRole('main').and(page.locator(':focus')).waitFor()
    assert.equal(await page.evaluate('scrollY'), 0)
    await page.goBack()
    await until(async () => Math.abs((await page.evaluate<number>('scrollY')) - position) <= 1)
  }
  assert.deepEqual(visit.faults, [])
})

test('the code of a page is asked for before the session is known, even by an address without an account', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  const held = Promise.withResolvers<void>()
  await page.route('**/v1/session', async (route) => {
    await held.promise
    await route.continue()
  })
  const asked = page.waitForRequest(/\/assets\/usage-[^/]*\.js$/)
  await visit.open('/usage')
  await asked
  held.resolve()
  await page.getByRole('heading', { name: 'API usage', level: 1 }).waitFor()
  assert.match(new URL(page.url()).pathname, /^\/accounts\/acc_\w+\/usage$/)
  assert.deepEqual(visit.faults, [])
})

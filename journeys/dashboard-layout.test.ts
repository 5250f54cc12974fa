import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { overflows, waitForPage } from './dashboard-page.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

test('on a phone, the header and the danger zone name the project', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser({}, { viewport: { width: 360, height: 740 } })
  const { page } = visit
  await visit.call('PATCH /v1/account', { name: 'Northwind Publishing and Communications Ltd' })
  await visit.call('POST /v1/projects', { slug: 'marketing', name: 'Marketing' })
  await visit.open('/projects/marketing/settings/danger-zone')
  const main = page.getByRole('main')
  await main.getByText('Permanently deletes Marketing').waitFor()
  assert.equal(
    await page.evaluate(`(() => {
      const name = [...document.querySelectorAll('header span')].find((each) => each.textContent === 'Marketing')
      const range = document.createRange()
      range.selectNodeContents(name)
      return range.getBoundingClientRect().width <= name.getBoundingClientRect().width
    })()`),
    true,
    'the name of the project is shown whole',
  )
  assert.deepEqual(await overflows(page), [])
  assert.deepEqual(visit.faults, [])
})

test('a long reason of a takedown leaves room for the other columns', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  const account = 'Northwind Publishing and Communications Ltd'
  await visit.call('PATCH /v1/account', { name: account })
  await visit.call('POST /v1/projects', { slug: 'spring-campaign-and-marketing-site', name: 'Marketing' })
  const reason = `Reported for phishing by several visitors. ${'The page asks for bank details. '.repeat(5)}`
  await visit.call('PUT /v1/operator/projects/spring-campaign-and-marketing-site/takedown', {
    reason,
    status: 451,
  })
  await visit.open('/operator/sites')
  const linesOfWord = () =>
    page.evaluate<number>(`(() => {
    const name = [...document.querySelectorAll('td bdi')].find((each) => each.textContent === '${account}').firstChild
    const range = document.createRange()
    range.setStart(name, ${account.indexOf('Communications')})
    range.setEnd(name, ${account.indexOf(' Ltd')})
    return range.getClientRects().length
  })()`)
  for (const width of [360, 640, 768, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    await page.getByText('Taken down').waitFor()
    assert.deepEqual(await overflows(page), [])
    assert.equal(await linesOfWord(), 1, `the words of the account stay whole at ${width} px`)
  }
  assert.deepEqual(visit.faults, [])
})

test('names as long as they may be leave every page its width and every table its columns', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  const long = 'W'.repeat(60)
  const hostname = `${'h'.repeat(60)}.${'i'.repeat(60)}.localhost`
  await visit.call('PUT /v1/account/plan', { plan: 'pro' })
  await visit.call('PATCH /v1/person', { name: long })
  await visit.call('POST /v1/keys', { name: long, scopes: ['read', 'deploy', 'domains', 'admin'] })
  await visit.call('POST /v1/proofs', { domain: hostname })
  await visit.call('POST /v1/projects', { slug: 'site' })
  await visit.publish('site', { 'index.html': 'hi' })
  await visit.call('POST /v1/projects/site/domains', { hostname })
  for (const path of ['/keys', '/members', '/proofs', `/projects/site/settings/domains/${hostname}`]) {
    await visit.open(path)
    await waitForPage(page)
    for (const width of [320, 640, 768, 1280]) {
      await page.setViewportSize({ width, height: 740 })
      assert.deepEqual(await overflows(page), [], `${path} at ${width} px`)
    }
  }
  assert.deepEqual(visit.faults, [])
})

test('an answer of another shape, or none, is told in words', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await page.route('**/v1/projects?*', (route) => route.fulfill({ json: {} }))
  await visit.open('/')
  await page.getByText('The server gave an answer that this page does not expect.').waitFor()
  await page.context().setOffline(true)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Check your connection, then try again.').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Hello', exact: true }).waitFor()
  assert.deepEqual(visit.faults, [])
})

test('the header is shown before any script, and stays where it is', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  const word = () => page.getByText('Masthead', { exact: true }).first()
  await page.route('**/assets/*.js', (route) => route.abort())
  await visit.open('/')
  const before = await word().evaluate(textBox)
  await page.unrouteAll()
  await visit.open('/')
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
  assert.deepEqual(await word().evaluate(textBox), before)
})

test('Undo waits behind a dialog', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  for (const text of ['one', 'two']) await visit.publish('handbook', { 'index.html': text })
  await page.clock.install()
  await visit.open('/projects/handbook/deployments')
  await page.getByRole('button', { name: 'Roll back to this' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).waitFor()
  await page.clock.runFor(60_000)
  await page.keyboard.press('Escape')
  await undo.waitFor()
  await page.clock.runFor(60_000)
  await undo.waitFor({ state: 'detached' })
  assert.deepEqual(visit.faults, [])
})

test('a second message leaves the Undo of the first, and a second change of the same thing replaces it', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.call('PUT /v1/account/plan', { plan: 'pro' })
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  for (const text of ['one', 'two', 'three']) await visit.publish('handbook', { 'index.html': text })
  const names = ['help', 'docs'].map((label) => `${label}.acme.localhost`)
  for (const hostname of names) await visit.call('POST /v1/projects/handbook/domains', { hostname })
  await visit.open('/projects/handbook/settings/domains')
  const messages = page.getByRole('status').filter({ hasText: 'Undo' })
  const message = (text: string) => messages.locator('div').filter({ hasText: text })
  for (const name of names) {
    await page.getByRole('button', { name: `Remove ${name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
    await message(`${name} was removed.`).hover()
  }
  await message(`${names[0]} was removed.`).getByRole('button', { name: 'Undo' }).click()
  await page.getByText(`${names[0]} was added again.`).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 1)
  await message(`${names[1]} was removed.`).waitFor()

  await visit.open('/projects/handbook/deployments')
  for (const words of ['Roll back to this', 'Make live']) {
    const told = await page.getByText(/^dpl_.* is live\.$/).allTextContents()
    await page.getByRole('button', { name: words }).last().click()
    await page
      .getByText(/^dpl_.* is live\.$/)
      .filter({ hasNotText: told[0] ?? 'nothing' })
      .waitFor()
  }
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 1)
  assert.deepEqual(visit.faults, [])
})

test('Undo does not replace what somebody else has published since', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  const first = await visit.publish('handbook', { 'index.html': 'one' })
  await visit.publish('handbook', { 'index.html': 'two' })
  await visit.open('/projects/handbook/deployments')
  await page.getByRole('button', { name: `Roll back to this: ${first.id}` }).click()
  await page.getByText(`${first.id} is live.`).waitFor()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.hover()
  let newest: string | undefined
  // At the last moment.
  await page.route('**/activate', async (route) => {
    newest = (await visit.publish('handbook', { 'index.html': 'three' })).id
    await route.continue()
  })
  await undo.click()
  await page.getByText("Couldn't undo. Another deployment is live now.").waitFor()
  const { activeDeployment } = await visit.call<Project>('GET /v1/projects/handbook')
  assert.ok(newest)
  assert.equal(activeDeployment?.id, newest)
  assert.deepEqual(visit.faults, [])
})

test('a message that replaces another takes neither the focus nor its end with it', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  const password = { scope: 'site', paths: [], note: '', password: 'correct horse battery' }
  await visit.call('PUT /v1/projects/handbook/protection', password)
  await visit.open('/projects/handbook/settings/protection')
  await page.clock.install()
  await page.getByRole('button', { name: 'Remove password' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await page.getByRole('button', { name: 'Set a password' }).click()
  await page.getByLabel('Password', { exact: true }).fill('another horse battery')
  await undo.focus()
  // Submits without moving the focus, as an answer does that comes later.
  await page.evaluate("document.querySelector('form').requestSubmit()")
  const message = page.getByText('The password of handbook was set.')
  await message.waitFor()
  assert.equal(await undo.count(), 0, 'undoing the removal would be in vain')
  await page.getByRole('main').and(page.locator(':focus')).waitFor()
  await page.clock.runFor(60_000)
  await message.waitFor({ state: 'detached' })
  assert.deepEqual(visit.faults, [])
})

test('a menu closes when it leads to the page that is shown', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.open('/person')
  await page.getByRole('button', { name: 'menu for Ada Lovelace' }).click()
  const profile = page.getByRole('link', { name: 'Your profile' })
  await profile.click()
  await profile.waitFor({ state: 'hidden' })
  assert.deepEqual(visit.faults, [])
})

test('the figures of API usage do not move while the page loads', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await page.addInitScript(`
    globalThis.seenAt = new Set()
    const look = () => {
      const title = [...document.querySelectorAll('h2')].find((each) => each.textContent === 'Today')
      if (title !== undefined) seenAt.add(title.getBoundingClientRect().y)
      requestAnimationFrame(look)
    }
    look()`)
  const figures = page.waitForResponse('**/v1/account/usage*')
  await page.route('**/v1/account', async (route) => {
    await figures
    await page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(() => done()), 0))')
    await route.continue()
  })
  await visit.open('/usage')
  await page.getByText('shared by all keys of').waitFor()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  assert.equal(await page.evaluate('seenAt.size'), 1)
})

/** Where the text of an element is. Runs in the page. */
function textBox(element: unknown): number[] {
  const page = globalThis as unknown as { document: { createRange(): PageRange } }
  const range = page.document.createRange()
  range.selectNodeContents(element)
  const { x, y, width, height } = range.getBoundingClientRect()
  return [x, y, width, height]
}

interface PageRange {
  selectNodeContents(node: unknown): void
  getBoundingClientRect(): { x: number; y: number; width: number; height: number }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

const password = 'correct horse battery'

test('a password set in the dashboard lets guests in, and members without it', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead } = visit
  await visit.call('POST /v1/projects', { slug: 'handbook' })
  await visit.publish('handbook', {
    'index.html': '<h1>Front</h1>',
    'page.html': '<h1>For guests</h1>',
    'data.js': 'document.title = "read"',
  })
  const { port } = new URL(masthead.origin)
  const site = `http://handbook.masthead.localhost:${port}`
  const neighbour = `<script src="${site}/data.js" onerror="document.title = 'refused'"></script>`
  await visit.call('POST /v1/projects', { slug: 'neighbour' })
  await visit.publish('neighbour', { 'index.html': neighbour })

  await visit.open('/projects/handbook/settings/protection')
  await page.getByText('Everyone can visit this site').waitFor()
  await page.getByRole('button', { name: 'Set a password' }).click()
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill('handbook')
  await page.getByLabel('Note for visitors').fill('Ask Ada for the password.')
  await page.getByRole('button', { name: 'Protect' }).click()
  await page.getByText('Repeats the same few characters').waitFor()
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password)
  await page.getByRole('button', { name: 'Protect' }).click()
  await page.getByText('The password of handbook was set.').waitFor()

  const guest = await (await page.context().browser()?.newContext())?.newPage()
  assert.ok(guest)
  const refused = await guest.goto(`${site}/page?a=1`)
  assert.equal(refused?.status(), 401)
  await guest.getByText('Ask Ada for the password.').waitFor()
  await guest.getByLabel('Password').fill('wrong')
  await guest.getByRole('button', { name: 'Continue' }).click()
  await guest.getByRole('alert').getByText('Wrong password.').waitFor()
  await guest.getByLabel('Password').fill(password)
  await guest.keyboard.press('Enter')
  await guest.getByRole('heading', { name: 'For guests' }).waitFor()
  assert.equal(guest.url(), `${site}/page?a=1`)
  await guest.goto(`http://neighbour.masthead.localhost:${port}/`)
  assert.equal(await guest.title(), 'refused', 'the page of another site gets no script of this one')
  await guest.goto(`${site}/page?a=1`)

  await page.goto(`${site}/page?b=2`)
  await page.getByRole('link', { name: 'Sign in with Masthead' }).click()
  await page.getByRole('heading', { name: 'For guests' }).waitFor()
  assert.equal(page.url(), `${site}/page?b=2`)
  await page.goto(`${site}/.masthead/sign-out`)
  await page.getByRole('button', { name: 'Continue' }).waitFor()

  await visit.open('/projects/handbook/settings/protection')
  await page.getByRole('button', { name: 'Remove password' }).click()
  await page.getByText('Everyone can visit handbook now.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('handbook is protected by the same password again.').waitFor()
  await guest.reload()
  await guest.getByRole('heading', { name: 'For guests' }).waitFor()
  await page.getByRole('textbox', { name: 'New password' }).fill('another horse entirely')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The password of handbook was set.').waitFor()
  assert.equal((await guest.reload())?.status(), 401)

  // A member who signs out of the dashboard is out here as well.
  await page.goto(site)
  await page.getByRole('link', { name: 'Sign in with Masthead' }).click()
  await page.getByRole('heading', { name: 'Front' }).waitFor()
  await visit.call('DELETE /v1/session')
  assert.equal((await page.reload())?.status(), 401)
  assert.deepEqual(visit.faults, [])
})

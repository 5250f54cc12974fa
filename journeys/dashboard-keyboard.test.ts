import assert from 'node:assert/strict'
import { test } from 'node:test'
import { person } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { tabTo } from './dashboard-page.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

test('with only the keyboard: sign in, create a project, roll back, add a domain and sign out', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  const { keyboard } = page
  await visit.call('PUT /v1/account/plan', { plan: 'pro' })
  await visit.browser.context.clearCookies()
  const go = async (role: 'link' | 'button' | 'textbox', name: string) => {
    await tabTo(page, page.getByRole(role, { name, exact: true }))
    await keyboard.press('Enter')
  }
  const focused = (name: string) => page.getByRole('heading', { name }).and(page.locator(':focus')).waitFor()

  await visit.open('/')
  await tabTo(page, page.getByLabel('Email'))
  await keyboard.type(person.email)
  await tabTo(page, page.getByRole('textbox', { name: 'Password' }))
  await keyboard.type(person.password)
  await keyboard.press('Enter')

  await go('link', 'New project')
  // The link is gone, so the next page has the focus.
  await page.getByRole('main').and(page.locator(':focus')).waitFor()
  await tabTo(page, page.getByLabel('Name'))
  await keyboard.type('The handbook')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The handbook', level: 1 }).waitFor()
  const first = await visit.publish('the-handbook', { 'index.html': 'first' })
  const second = await visit.publish('the-handbook', { 'index.html': 'second' })

  await go('link', 'Deployments')
  await go('button', `Roll back to this: ${first.id}`)
  await page.getByText(`${first.id} is live.`).waitFor()
  await page.locator(`a[href$="/${first.id}"]:focus`).waitFor()
  await go('button', 'Undo')
  await page.getByText(`${second.id} is live again.`).waitFor()

  await go('link', 'Settings')
  await go('link', 'Domains')
  await tabTo(page, page.getByRole('textbox', { name: 'Domain' }))
  await keyboard.type('help.acme.localhost')
  await keyboard.press('Enter')
  // The new domain gets the focus.
  await focused('help.acme.localhost')
  await go('button', 'Remove help.acme.localhost')
  const dialog = page.getByRole('dialog', { name: 'Remove help.acme.localhost?' })
  await dialog.waitFor()
  await keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove help.acme.localhost' }).and(page.locator(':focus')).waitFor()

  // On a Russian keyboard.
  await page.dispatchEvent('body', 'keydown', { key: 'л', code: 'KeyK', ctrlKey: true, metaKey: true })
  const find = page.getByRole('combobox').and(page.locator(':focus'))
  await find.waitFor()
  await keyboard.type('help.acme')
  await page.getByRole('option', { name: 'help.acme.localhost', selected: true }).waitFor()
  // Safari reports the key that ends a composition like this, after its end.
  for (const key of ['Enter', 'Escape']) await find.dispatchEvent('keydown', { key, keyCode: 229 })
  assert.equal(await find.count(), 1)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'help.acme.localhost', level: 1 }).waitFor()

  await go('button', 'AL: menu for Ada Lovelace')
  await go('button', 'Sign out')
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  assert.deepEqual(visit.faults, [])
})

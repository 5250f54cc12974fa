import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Locator } from 'playwright-core'
import { visitInSharedBrowser } from './dashboard-visit.ts'

/** Runs in the page, whose globals Node.js does not know. */
const style = (element: Locator, property: string) =>
  element.evaluate<string, string>(
    (each, name) => Reflect.get(globalThis, 'getComputedStyle')(each).getPropertyValue(name),
    property,
  )

test('forced colours leave visible what is current, chosen or filled', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser({}, { forcedColors: 'active', colorScheme: 'dark' })
  const { page } = visit
  await visit.call('PUT /v1/account/plan', { plan: 'pro' })
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  await visit.publish('handbook', { 'index.html': 'hello' })
  await visit.call('POST /v1/projects/handbook/domains', { hostname: 'help.acme.localhost' })
  await visit.open('/usage')
  await page.getByText('Today').waitFor()
  const canvas = await style(page.locator('body'), 'background-color')

  const tab = (name: string) => page.getByRole('link', { name, exact: true })
  assert.equal(await style(tab('Members'), 'border-bottom-color'), canvas)
  assert.notEqual(await style(tab('Usage'), 'border-bottom-color'), canvas)
  const bar = page.locator('meter + div').first()
  assert.notEqual(await style(bar, 'background-color'), canvas)

  await page.getByRole('button', { name: 'menu for Ada Lovelace' }).click()
  const theme = (name: string) => page.locator('label').filter({ hasText: name })
  assert.notEqual(
    await style(theme('System'), 'background-color'),
    await style(theme('Light'), 'background-color'),
  )
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+k')
  // It is fetched last and put first, so the selection changes once more.
  await page.getByRole('option', { name: 'Handbook' }).first().waitFor()
  const [selected, other] = [true, false].map((selected) => page.getByRole('option', { selected }).first())
  assert.ok(selected !== undefined && other !== undefined)
  for (const property of ['background-color', 'border-left-color', 'color'])
    assert.notEqual(await style(selected, property), await style(other, property), property)
  assert.equal(await style(other, 'border-left-color'), canvas)
  const kind = selected.locator('span').last()
  assert.equal(await style(kind, 'color'), await style(selected, 'color'))
  await page.keyboard.press('Escape')

  await visit.open('/projects/handbook/settings/domains')
  const step = page
    .getByRole('list', { name: 'Progress of help.acme.localhost' })
    .locator('[aria-current=step]')
  await step.waitFor()
  assert.notEqual(await style(step.locator('[aria-hidden] > span'), 'background-color'), canvas)
  const add = page.getByRole('button', { name: 'Add domain' })
  assert.equal(await style(add, 'border-top-width'), '1px')
  assert.deepEqual(visit.faults, [])
})

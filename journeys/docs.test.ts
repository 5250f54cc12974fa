import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectPageErrors } from '@masthead/testing/clients/dashboard-visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { AccessibilityChecks } from './axe.ts'

test('every page of the docs is accessible, searchable, and leads back to the dashboard', {
  skip: skipWithout('chromium'),
  timeout: 600_000,
}, async () => {
  await using masthead = await MastheadProcess.start()
  await using browser = await startChromium()
  const page = await browser.context.newPage()
  const faults: string[] = []
  collectPageErrors(page, faults)
  const overview = await (await fetch(`${masthead.origin}/llms.txt`)).text()
  const listed = [...overview.matchAll(/\]\((\/docs\/[^)]+)\.md\)/g)].map(([, path = '']) => path)
  const checks = new AccessibilityChecks(page)
  const found: string[] = []
  for (const path of ['/docs', ...listed, '/docs/search?q=redirect', '/docs/nowhere']) {
    await page.goto(masthead.origin + path)
    found.push(...(await checks.onText(path)))
  }
  assert.deepEqual(found, [])

  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${masthead.origin}/docs`)
  await page.keyboard.press('/')
  await page.keyboard.type('slug_taken')
  await page.locator('.suggestions a').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#slug_taken')
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/docs'))
  assert.deepEqual(faults, [])
})

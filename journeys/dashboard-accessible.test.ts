import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DashboardVisit, visitDashboard } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { AccessibilityChecks } from './axe.ts'
import { seedAccount, signedOutPaths } from './dashboard-data.ts'
import { waitForPage } from './dashboard-page.ts'

test('axe finds nothing serious on any page, light or dark, wide or narrow', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitDashboard()
  const found = await violationsOf(visit, await seedAccount(visit))
  await visit.browser.context.clearCookies()
  found.push(...(await violationsOf(visit, signedOutPaths)))
  assert.deepEqual(found, [])
  assert.deepEqual(visit.faults, [])
})

async function violationsOf({ page, open }: DashboardVisit, paths: string[]): Promise<string[]> {
  const checks = new AccessibilityChecks(page)
  const found: string[] = []
  for (const path of paths) {
    await open(path)
    await waitForPage(page)
    found.push(...(await checks.onPage(path)))
  }
  return found
}

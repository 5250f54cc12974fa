import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { visitDashboard } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { AccessibilityChecks } from './axe.ts'
import { seedAccount, signedOutPaths } from './dashboard-data.ts'
import { overflows, tabThroughPage, waitForPage } from './dashboard-page.ts'

const timeout = 600_000
/** The last is a desktop at 200 percent. */
const [desktop, narrow] = [{ width: 1280, height: 720 }, [390, 320, 640]] as const

describe('every page of the dashboard', { skip: skipWithout('chromium'), timeout }, () => {
  const violations: string[] = []
  const unreached: string[] = []
  const tooWide: string[] = []
  let faults: string[] = []

  /** Opens each page once, because that takes longer than most of the checks. */
  before(
    async () => {
      await using visit = await visitDashboard()
      const { page } = visit
      faults = visit.faults
      const checks = new AccessibilityChecks(page)
      const check = async (path: string) => {
        await visit.open(path)
        await waitForPage(page)
        violations.push(...(await checks.onPage(path)))
        for (const width of narrow) {
          await page.setViewportSize({ width, height: 740 })
          for (const fault of await overflows(page)) tooWide.push(`${path} at ${width} px: ${fault}`)
        }
        await page.setViewportSize(desktop)
        await page.emulateMedia({ colorScheme: null, reducedMotion: null })
        for (const fault of await tabThroughPage(page)) unreached.push(`${path}: ${fault}`)
      }
      for (const path of await seedAccount(visit)) await check(path)
      await visit.browser.context.clearCookies()
      for (const path of signedOutPaths) await check(path)
    },
    { timeout },
  )

  test('axe finds nothing serious on any page, light or dark, wide or narrow', () => {
    assert.deepEqual(violations, [])
  })

  test('Tab reaches every control on every page, and the focus is always visible', () => {
    assert.deepEqual(unreached, [])
  })

  test('every page fits a phone and a desktop at 200 percent, and every tab and column is visible', () => {
    assert.deepEqual(tooWide, [])
  })

  test('the browser reports no error on any page', () => {
    assert.deepEqual(faults, [])
  })
})

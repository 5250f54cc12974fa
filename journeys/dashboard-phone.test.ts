import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitDashboard } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Page } from 'playwright-core'
import { seedAccount, signedOutPaths } from './dashboard-data.ts'
import { waitForPage } from './dashboard-page.ts'

const widths = [390, 320]

test('every page fits a phone, and every tab is visible', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitDashboard()
  const { page } = visit
  const found: string[] = []
  const look = async (path: string) => {
    await visit.open(path)
    await waitForPage(page)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 })
      for (const fault of await overflows(page)) found.push(`${path} at ${width} px: ${fault}`)
    }
  }
  for (const path of await seedAccount(visit)) await look(path)
  await visit.browser.context.clearCookies()
  for (const path of signedOutPaths) await look(path)
  assert.deepEqual(found, [])
  assert.deepEqual(visit.faults, [])
})

/** Elements that make the page wider than the window, and tabs that are cut off. */
function overflows(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const words = (element) => element.tagName.toLowerCase() + ' "' + element.textContent.trim().slice(0, 40) + '"'
    const isOutside = (element) => {
      const { right, left, width } = element.getBoundingClientRect()
      return width > 0 && (right > innerWidth + 0.5 || left < -0.5)
    }
    const tabs = [...document.querySelectorAll('nav a')].filter(isOutside)
    const wide = document.documentElement.scrollWidth > innerWidth
    const clips = (element) => element !== null && (getComputedStyle(element).overflowX !== 'visible' || clips(element.parentElement))
    const widest = wide ? [...document.body.querySelectorAll('*')].filter((each) => isOutside(each) && !clips(each)) : []
    return [
      ...tabs.map((each) => 'the tab ' + words(each) + ' is not visible'),
      ...(wide ? ['is ' + document.documentElement.scrollWidth + ' px wide'] : []),
      ...widest.slice(-2).map((each) => words(each) + ' goes beyond the edge'),
    ]
  })()`)
}

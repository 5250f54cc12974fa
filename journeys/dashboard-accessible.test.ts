import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { type DashboardVisit, visitDashboard } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { AxeResults } from 'axe-core'
import { seedAccount, signedOutPaths } from './dashboard-data.ts'
import { waitForPage } from './dashboard-page.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
  const found: string[] = []
  for (const path of paths) {
    await open(path)
    await waitForPage(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        if (isTooWide) found.push(`${path} at ${width} px scrolls sideways`)
        for (const each of await serious(page)) found.push(`${path}, ${colorScheme}, ${width} px: ${each}`)
      }
    }
  }
  return found
}

/** Colours change during a transition, so a violation counts only if a second run finds it too. */
async function serious(page: DashboardVisit['page']): Promise<string[]> {
  const found = await runAxe(page)
  if (found.size === 0) return []
  const again = await runAxe(page)
  return [...found].filter(([place]) => again.has(place)).map(([, violation]) => violation)
}

/** Serious violations by rule and element. */
async function runAxe(page: DashboardVisit['page']): Promise<Map<string, string>> {
  await page.evaluate('Promise.allSettled(document.getAnimations().map((each) => each.finished))')
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  // The preview shows a site of a user, which is not ours to check.
  const results = await page.evaluate<AxeResults>(
    `axe.run({ exclude: [['iframe']] }, { resultTypes: ['violations'], iframes: false, preload: false })`,
  )
  const severe = results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return new Map(
    severe.flatMap(({ id, nodes }) => nodes.map(({ html, target }) => [`${id} ${target}`, `${id}: ${html}`])),
  )
}

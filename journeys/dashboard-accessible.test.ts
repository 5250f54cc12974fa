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
  const found = await faultsOf(visit, await seedAccount(visit))
  await visit.browser.context.clearCookies()
  found.push(...(await faultsOf(visit, signedOutPaths)))
  assert.deepEqual(found, [])
  assert.deepEqual(visit.faults, [])
})

async function faultsOf({ page, open }: DashboardVisit, paths: string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    await open(path)
    await waitForPage(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        if (wide) found.push(`${path} at ${width} px has to be scrolled sideways`)
        for (const fault of await serious(page)) found.push(`${path}, ${colorScheme}, ${width} px: ${fault}`)
      }
    }
  }
  return found
}

/** What moves while axe looks has no colour of its own for a moment: a fault is what is there at a second look too. */
async function serious(page: DashboardVisit['page']): Promise<string[]> {
  const found = await lookAt(page)
  if (found.size === 0) return []
  const again = await lookAt(page)
  return [...found].filter(([place]) => again.has(place)).map(([, fault]) => fault)
}

/** Serious faults, by what is wrong and where. */
async function lookAt(page: DashboardVisit['page']): Promise<Map<string, string>> {
  await page.evaluate('Promise.allSettled(document.getAnimations().map((each) => each.finished))')
  await page.evaluate(axe)
  // The preview shows somebody's site, which is theirs.
  const results = await page.evaluate<AxeResults>(
    `axe.run({ exclude: [['iframe']] }, { resultTypes: ['violations'], iframes: false })`,
  )
  const grave = results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return new Map(
    grave.flatMap(({ id, nodes }) => nodes.map(({ html, target }) => [`${id} ${target}`, `${id}: ${html}`])),
  )
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const everyLook = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'dark', width: 390 },
] as const

/** What axe finds on the open page in these looks, and whether it is too wide for them. */
export async function violationsIn(
  looks: readonly (typeof everyLook)[number][],
  page: Page,
  path: string,
): Promise<string[]> {
  const found: string[] = []
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 900 })
    const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    if (isTooWide) found.push(`${path} at ${width} px scrolls sideways`)
    for (const each of await serious(page)) found.push(`${path}, ${colorScheme}, ${width} px: ${each}`)
  }
  return found
}

/** Colours change during a transition, so a violation counts only if a second run finds it too. */
async function serious(page: Page): Promise<string[]> {
  const found = await runAxe(page)
  if (found.size === 0) return []
  const again = await runAxe(page)
  return [...found].filter(([place]) => again.has(place)).map(([, violation]) => violation)
}

/** Serious violations by rule and element. */
async function runAxe(page: Page): Promise<Map<string, string>> {
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

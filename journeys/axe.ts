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

/** Some elements, or some rules; all of them if not given. */
interface Part {
  only?: string
  rules?: Record<string, unknown>
}

/**
 * What axe finds on a page of the docs in every look. A long page repeats the same few kinds of elements, and what has
 * the same tags and classes up to the root looks the same. So one element of each kind is judged by the rules that
 * depend on the look, and the whole page once by all others.
 */
export async function violationsInDocs(page: Page, path: string): Promise<string[]> {
  const [first] = everyLook
  const document = await violationsIn([first], page, path, {
    rules: { rules: { 'color-contrast': { enabled: false } } },
  })
  await page.evaluate(markKinds)
  const looks = { only: '[data-kind]', rules: { runOnly: rulesOfLooks } }
  return [...document, ...(await violationsIn(everyLook, page, path, looks))]
}

/** The others ask about the document, which is the same in every look. */
const rulesOfLooks = [
  ...['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'],
  ...['css-orientation-lock', 'aria-hidden-focus', 'label', 'link-name', 'button-name'],
]

const markKinds = `(() => {
  const seen = new Set()
  const kind = (one) => one === null ? '' : kind(one.parentElement) + '>' + one.tagName + '.' + one.className
  for (const one of document.body.querySelectorAll('*')) {
    const isRead = [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '')
    const key = kind(one)
    if (seen.has(key) || !(isRead || one.matches('a, button, input, pre, summary'))) continue
    seen.add(key)
    one.setAttribute('data-kind', '')
  }
})()`

/** What axe finds on the open page in these looks, and whether it is too wide for them. */
export async function violationsIn(
  looks: readonly (typeof everyLook)[number][],
  page: Page,
  path: string,
  part: Part = {},
): Promise<string[]> {
  const found: string[] = []
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 900 })
    const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    if (isTooWide) found.push(`${path} at ${width} px scrolls sideways`)
    for (const each of await serious(page, part)) found.push(`${path}, ${colorScheme}, ${width} px: ${each}`)
  }
  return found
}

/** Colours change during a transition, so a violation counts only if a second run finds it too. */
async function serious(page: Page, part: Part): Promise<string[]> {
  const found = await runAxe(page, part)
  if (found.size === 0) return []
  const again = await runAxe(page, part)
  return [...found].filter(([place]) => again.has(place)).map(([, violation]) => violation)
}

/** Serious violations by rule and element. */
async function runAxe(page: Page, { only, rules = {} }: Part): Promise<Map<string, string>> {
  await page.evaluate('Promise.allSettled(document.getAnimations().map((each) => each.finished))')
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  // The preview shows a site of a user, which is not ours to check.
  const context = { ...(only !== undefined && { include: [[only]] }), exclude: [['iframe']] }
  const options = { ...rules, resultTypes: ['violations'], iframes: false, preload: false }
  const results = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})`,
  )
  const severe = results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return new Map(
    severe.flatMap(({ id, nodes }) => nodes.map(({ html, target }) => [`${id} ${target}`, `${id}: ${html}`])),
  )
}

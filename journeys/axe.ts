import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const [wide, narrow] = [1440, 390] as const

/** Ask about colours, which are others in the dark and the same at every width. */
const rulesOfColours = ['color-contrast', 'link-in-text-block']
/** Ask about what a narrow window may hide, move or make scroll. */
const rulesOfWidths = [
  ...['target-size', 'scrollable-region-focusable', 'css-orientation-lock', 'aria-hidden-focus'],
  ...['label', 'link-name', 'button-name'],
]

/** All that run by default, and more. What `region` finds is never serious. */
const everyRule = (more: string[] = []): RunOptions => ({
  rules: { ...Object.fromEntries(more.map((rule) => [rule, { enabled: true }])), region: { enabled: false } },
})
const onlyRules = (rules: string[]): RunOptions => ({ runOnly: [...rules, ...rulesOfColours] })

/** What axe finds on one page after the other, light and dark, wide and narrow, and which pages are too wide. */
export class AccessibilityChecks {
  readonly #page: Page
  /** Kinds of elements whose colours were judged, on any page. */
  readonly #judged = new Set<string>()
  /** Each is one change away from the next. Every other page begins where the one before ended: a change costs a layout. */
  readonly #looks = [
    [wide, 'light'],
    [wide, 'dark'],
    [narrow, 'dark'],
    [narrow, 'light'],
  ] as [number, 'light' | 'dark'][]

  constructor(page: Page) {
    this.#page = page
  }

  /** On a page whose elements depend on the width, such as menus. */
  async onPage(path: string): Promise<string[]> {
    return this.#inEveryLook(path, () => everyRule())
  }

  /** On a page that has the same elements at every width, such as a long text. */
  async onText(path: string): Promise<string[]> {
    return this.#inEveryLook(path, (width) =>
      width === wide ? everyRule(rulesOfWidths) : onlyRules(rulesOfWidths),
    )
  }

  async #inEveryLook(path: string, ofWidth: (width: number) => RunOptions): Promise<string[]> {
    const found: string[] = []
    for (const [width, colorScheme] of this.#looks.reverse()) {
      await this.#page.setViewportSize({ width, height: 900 })
      await this.#setMedia(colorScheme)
      const { isTooWide, kinds } = await this.#page.evaluate<Surveyed>(survey)
      if (isTooWide) found.push(`${path} at ${width} px scrolls sideways`)
      const fresh = kinds.filter((kind) => !this.#judged.has(kind))
      for (const kind of fresh) this.#judged.add(kind)
      if (colorScheme === 'dark' && fresh.length === 0) continue
      const rules = colorScheme === 'light' ? ofWidth(width) : onlyRules([])
      for (const each of await this.#find(fresh, rules)) {
        found.push(`${path}, ${colorScheme}, ${width} px: ${each}`)
      }
    }
    return found
  }

  /** Only if it changes something: to set the same again computes every style again. */
  async #setMedia(colorScheme: 'light' | 'dark'): Promise<void> {
    const query = `(prefers-color-scheme: ${colorScheme}) and (prefers-reduced-motion: reduce)`
    if (await this.#page.evaluate<boolean>(`matchMedia('${query}').matches`)) return
    await this.#page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  }

  /** Colours change during a transition, so a violation counts only if a second run finds it too. */
  async #find(fresh: string[], rules: RunOptions): Promise<string[]> {
    const found = await runAxe(this.#page, fresh, rules)
    if (found.size === 0) return []
    const again = await runAxe(this.#page, fresh, rules)
    return [...found].filter(([place]) => again.has(place)).map(([, violation]) => violation)
  }
}

interface Surveyed {
  isTooWide: boolean
  kinds: string[]
}

/**
 * Groups the elements that somebody reads or uses by how they look: what has the same tags, classes and colours up to
 * the root looks the same.
 */
const survey = `(async () => {
  await Promise.allSettled(document.getAnimations().map((each) => each.finished))
  const hash = (text) => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57]
    for (let index = 0; index < text.length; index++) {
      one = Math.imul(one ^ text.charCodeAt(index), 2654435761)
      other = Math.imul(other ^ text.charCodeAt(index), 1597334677)
    }
    return (one >>> 0).toString(36) + (other >>> 0).toString(36)
  }
  const known = new Map([[null, '']])
  const kindOf = (element) => {
    if (known.has(element)) return known.get(element)
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textDecorationLine, textShadow } =
      getComputedStyle(element)
    const look = [color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textDecorationLine, textShadow]
    const own = element.tagName + '.' + element.getAttribute('class') + look.join()
    const kind = hash(kindOf(element.parentElement) + own)
    known.set(element, kind)
    return kind
  }
  const isRead = (element) => [...element.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '')
  const judged = [...document.body.querySelectorAll('*')].filter(
    (element) => (isRead(element) || element.matches('a, button, input, select, textarea, pre, summary')) && element.checkVisibility(),
  )
  globalThis.kinds = Object.groupBy(judged, kindOf)
  return { isTooWide: document.documentElement.scrollWidth > innerWidth, kinds: Object.keys(globalThis.kinds) }
})()`

/** Marks the elements whose colours have not been judged yet: the rules of colours ask about no others. */
const unjudged = 'data-unjudged'
const configuration = {
  rules: [
    { id: 'color-contrast', selector: `[${unjudged}]` },
    { id: 'link-in-text-block', selector: `a[href][${unjudged}], [role=link][${unjudged}]` },
  ],
}

/** Serious violations by rule and element. One run with all rules, because each measures the whole page first. */
async function runAxe(page: Page, fresh: string[], rules: RunOptions): Promise<Map<string, string>> {
  if (!(await page.evaluate<boolean>('"axe" in window')))
    await page.evaluate(`${axe};axe.configure(${JSON.stringify(configuration)})`)
  const options = { ...rules, resultTypes: ['violations'], iframes: false, preload: false }
  // The preview shows a site of a user, which is not ours to check.
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(`(() => {
    for (const judged of document.querySelectorAll('[${unjudged}]')) judged.removeAttribute('${unjudged}')
    for (const element of ${JSON.stringify(fresh)}.flatMap((kind) => kinds[kind])) element.setAttribute('${unjudged}', '')
    return axe.run({ include: document, exclude: [['iframe']] }, ${JSON.stringify(options)})
  })()`)
  const severe = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return new Map(
    severe.flatMap(({ id, nodes }) => nodes.map(({ html, target }) => [`${id} ${target}`, `${id}: ${html}`])),
  )
}

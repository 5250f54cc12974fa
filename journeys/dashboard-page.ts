import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/**
 * Waits until a page of the dashboard stands with its content. In one look: between the frame of a project and a page
 * that is still being loaded, neither a title nor what stands in for content is there.
 */
export async function waitForPage(page: Page): Promise<void> {
  await page.locator('main:not(:has([aria-label="Loading"])) h1').waitFor()
}

/** More than any page has. */
const maxStops = 150

/** Where the focus is. */
interface Stop {
  /** What has it, in a word and its name; null where nothing has. */
  what: string | null
  /** Whether somebody who looks can tell. */
  seen: boolean
  /** Whether it had the focus before, and lost it meanwhile. */
  again: boolean
}

const describe = `(element) => {
  const name = element.getAttribute('aria-label') || element.labels?.[0]?.innerText || element.innerText || element.name
  return element.localName + ' “' + (name ?? '').trim().split('\\n')[0] + '”'
}`

/** An input for files is drawn by its label, and so is its focus. */
const outlined = `(element) =>
  [element, element.closest('label')].some((each) => {
    if (each === null) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(each)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
  })`

/** Presses Tab and tells where that led. What was reached is kept in the page, for `unreached`. */
async function tab(page: Page): Promise<Stop> {
  await page.keyboard.press('Tab')
  return page.evaluate<Stop>(`(() => {
    const element = document.activeElement
    const reached = (globalThis.reached ??= new Set())
    const again = reached.has(element) && element !== globalThis.lastReached
    globalThis.lastReached = element
    if (element === null || element === document.body) return { what: null, seen: false, again }
    reached.add(element)
    return { what: (${describe})(element), seen: (${outlined})(element), again }
  })()`)
}

/** Presses Tab until something has the focus, which is seen at every stop on the way. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const focused = target.and(page.locator(':focus'))
  for (let stops = 0; (await focused.count()) === 0; stops++) {
    assert.ok(stops < maxStops, `${target} is not reached by Tab`)
    const { what, seen } = await tab(page)
    assert.ok(what === null || seen, `the focus on ${what} is not seen`)
  }
}

/** Goes around a page by Tab, from wherever it put the focus, and answers what is wrong on the way. */
export async function tabThroughPage(page: Page): Promise<string[]> {
  const faults: string[] = []
  let nowhere = 0
  for (let stops = 0; stops < maxStops; stops++) {
    const { what, seen, again } = await tab(page)
    if (again) break
    if (what === null) nowhere++
    else if (!seen) faults.push(`the focus on ${what} is not seen`)
  }
  // Between the end of a page and its beginning it belongs to the browser.
  if (nowhere > 1) faults.push('the focus is lost on the way')
  return [...faults, ...(await unreached(page))]
}

/** What of a page can be used and was never reached. Of radio buttons of one name, Tab reaches one. */
function unreached(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const reached = [...(globalThis.reached ?? [])]
    const radios = new Set(reached.flatMap(({ type, name }) => (type === 'radio' ? [name] : [])))
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, iframe')]
      .filter((each) => each.checkVisibility({ visibilityProperty: true }))
      .filter((each) => !each.matches(':disabled, [inert] *'))
      .filter((each) => !reached.includes(each) && !(each.type === 'radio' && radios.has(each.name)))
      .map((each) => (${describe})(each) + ' is not reached')
  })()`)
}

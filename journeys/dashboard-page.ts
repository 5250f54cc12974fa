import assert from 'node:assert/strict'
import type { CDPSession, Locator, Page } from 'playwright-core'

/**
 * Waits until a page has loaded its content. With a single selector, because between the frame of a project and its
 * page there is neither a title nor a placeholder.
 */
export async function waitForPage(page: Page): Promise<void> {
  await page.locator('main:not(:has([aria-label="Loading"])) h1').waitFor()
}

/** Does to every text, now and later, what the translators of browsers do, except for the language. */
export async function translatePage(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const translated = new WeakSet()
    const translate = (root) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      const found = []
      while (texts.nextNode()) found.push(texts.currentNode)
      for (const text of root instanceof Text ? [root] : found) {
        if (translated.has(text) || text.parentNode === null || text.nodeValue.trim() === '') continue
        const font = document.createElement('font')
        const copy = document.createTextNode(text.nodeValue)
        translated.add(copy)
        font.append(document.createElement('font'))
        font.firstChild.append(copy)
        text.replaceWith(font)
      }
    }
    translate(document.body)
    new MutationObserver((records) => {
      for (const { addedNodes } of records) addedNodes.forEach(translate)
    }).observe(document.body, { childList: true, subtree: true })
  })()`)
}

/** More than any page needs. */
const maxStops = 150

interface Stop {
  /** The element and its label; null if nothing has the focus. */
  what: string | null
  /** Whether the focus is visible. */
  seen: boolean
  /** Whether it had the focus earlier and lost it since. */
  again: boolean
}

const describe = `(element) => {
  const name = element.getAttribute('aria-label') || element.labels?.[0]?.innerText || element.innerText || element.name
  return element.localName + ' “' + (name ?? '').trim().split('\\n')[0] + '”'
}`

/** A file input is styled by its label, and so is its focus. */
const outlined = `(element) =>
  [element, element.closest('label')].some((each) => {
    if (each === null) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(each)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
  })`

/** Defines `stopHere`, which returns the focus and records what was reached for `unreached`. */
const defineStop = `globalThis.stopHere ??= () => {
  const element = document.activeElement
  const reached = (globalThis.reached ??= new Set())
  const again = reached.has(element) && element !== globalThis.lastReached
  globalThis.lastReached = element
  if (element === null || element === document.body) return { what: null, seen: false, again }
  reached.add(element)
  return { what: (${describe})(element), seen: (${outlined})(element), again }
}`

/** Presses Tab and returns the new focus. */
async function tab(page: Page): Promise<Stop> {
  await page.keyboard.press('Tab')
  return page.evaluate<Stop>(`${defineStop}, stopHere()`)
}

/** Presses Tab several times without waiting in between, as that takes most of the time, and returns every new focus. */
async function tabOften(page: Page, keys: CDPSession, times: number): Promise<Stop[]> {
  await page.evaluate(`${defineStop}
    globalThis.stops = []
    globalThis.onkeyup = ({ key }) => key === 'Tab' && stops.push(stopHere())`)
  const tab = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }
  await Promise.all(
    Array.from({ length: times }, () => [
      keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...tab }),
      keys.send('Input.dispatchKeyEvent', { type: 'keyUp', ...tab }),
    ]).flat(),
  )
  const stops = await page.evaluate<Stop[]>('globalThis.onkeyup = null, stops')
  assert.equal(stops.length, times, 'every press is seen')
  return stops
}

/** Presses Tab until an element has the focus, and checks that the focus is visible at every stop. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const focused = target.and(page.locator(':focus'))
  for (let stops = 0; (await focused.count()) === 0; stops++) {
    assert.ok(stops < maxStops, `${target} is not reachable with Tab`)
    const { what, seen } = await tab(page)
    assert.ok(what === null || seen, `the focus on ${what} is not visible`)
  }
}

/** Tabs through a page from its initial focus and returns what is wrong. */
export async function tabThroughPage(page: Page): Promise<string[]> {
  const faults: string[] = []
  let nowhere = 0
  for (const { what, seen } of await stopsOf(page)) {
    if (what === null) nowhere++
    else if (!seen) faults.push(`the focus on ${what} is not visible`)
  }
  // Between the end of a page and its start, the browser has the focus.
  if (nowhere > 1) faults.push('the focus is lost')
  return [...faults, ...(await unreached(page))]
}

/** Each stop of Tab until it returns to one. */
async function stopsOf(page: Page): Promise<Stop[]> {
  const keys = await page.context().newCDPSession(page)
  // One more for the browser, and one for the return. Tab may need more or fewer.
  const atOnce = 2 + (await page.evaluate<number>(`(${controls})().length`))
  const stops: Stop[] = []
  try {
    while (stops.length < maxStops) {
      for (const stop of await tabOften(page, keys, atOnce)) {
        if (stop.again) return stops
        stops.push(stop)
      }
    }
    return stops
  } finally {
    await keys.detach()
  }
}

/** Everything on the page that somebody can use. */
const controls = `() =>
  [...document.querySelectorAll('a[href], button, input, select, textarea, summary, iframe')]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .filter((each) => !each.matches(':disabled, [inert] *'))`

/** Controls that Tab never reached. In a group of radio buttons, Tab reaches one. */
function unreached(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const reached = [...(globalThis.reached ?? [])]
    const radios = new Set(reached.flatMap(({ type, name }) => (type === 'radio' ? [name] : [])))
    return (${controls})()
      .filter((each) => !reached.includes(each) && !(each.type === 'radio' && radios.has(each.name)))
      .map((each) => (${describe})(each) + ' is not reached')
  })()`)
}

/** Elements that make the page wider than the window, tabs that are cut off, and tables wider than their frame. */
export function overflows(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const words = (element) => element.tagName.toLowerCase() + ' "' + element.textContent.trim().slice(0, 40) + '"'
    const isOutside = (element) => {
      const { right, left, width } = element.getBoundingClientRect()
      return width > 0 && (right > innerWidth + 0.5 || left < -0.5)
    }
    const isCut = ({ parentElement: frame }) => frame.clientWidth > 1 && frame.scrollWidth > frame.clientWidth
    const tables = [...document.querySelectorAll('table')].filter(isCut)
    const tabs = [...document.querySelectorAll('nav a')].filter(isOutside)
    const wide = document.documentElement.scrollWidth > innerWidth
    const clips = (element) => element !== null && (getComputedStyle(element).overflowX !== 'visible' || clips(element.parentElement))
    const widest = wide ? [...document.body.querySelectorAll('*')].filter((each) => isOutside(each) && !clips(each)) : []
    return [
      ...tabs.map((each) => 'the tab ' + words(each) + ' is not visible'),
      ...tables.map((each) => 'the table ' + each.ariaLabel + ' is cut off'),
      ...(wide ? ['is ' + document.documentElement.scrollWidth + ' px wide'] : []),
      ...widest.slice(-2).map((each) => words(each) + ' goes beyond the edge'),
    ]
  })()`)
}

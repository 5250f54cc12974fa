import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Page } from 'playwright-core'
import { visitInSharedBrowser } from './dashboard-visit.ts'

/** The colours of the page and of soft text on it, each as red, green and blue. */
function coloursOf(page: Page): Promise<{ paper: number[]; soft: number[] }> {
  return page.evaluate(`(() => {
    const sample = document.createElement('i')
    sample.className = 'text-soft'
    document.body.append(sample)
    const read = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number)
    const colours = {
      paper: read(getComputedStyle(document.body).backgroundColor),
      soft: read(getComputedStyle(sample).color),
    }
    sample.remove()
    return colours
  })()`)
}

/** The contrast ratio of WCAG 2. */
function contrast(one: number[], other: number[]): number {
  const luminance = (colour: number[]) => {
    const [red = 0, green = 0, blue = 0] = colour.map((part) => {
      const value = part / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

test('the borders of fields have enough contrast to be seen, light and dark', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.open('/new')
  await page.getByLabel('Name').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { paper } = await coloursOf(page)
    const [field = [], border = []] = await page.evaluate<number[][]>(`(() => {
      const { backgroundColor, borderTopColor } = getComputedStyle(document.querySelector('input[name=slug]'))
      return [backgroundColor, borderTopColor].map((colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number))
    })()`)
    for (const side of [paper, field]) assert.ok(contrast(side, border) >= 3, `${colorScheme}: ${border}`)
  }
})

test('names that are written from right to left are shown so', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  const name = 'مشروع الموقع (v2) الجديد!'
  await visit.call('PATCH /v1/account', { name: 'שלום (beta)!' })
  await visit.call('POST /v1/projects', { slug: 'arabic', name })
  const directions = (text: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
      .filter((each) => each.children.length === 0 && each.textContent === ${JSON.stringify(text)} && each.checkVisibility())
      .map((each) => getComputedStyle(each).direction)`)
  await page.reload()
  await page.getByRole('link', { name }).waitFor()
  assert.deepEqual(await directions(name), ['rtl'])
  assert.deepEqual(await directions('שלום (beta)!'), ['rtl'])
  await visit.open('/projects/arabic')
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  assert.deepEqual(await directions(name), ['rtl', 'rtl'])
  await visit.open('/projects/arabic/settings')
  const typed = page.getByLabel('Name')
  await typed.waitFor()
  assert.equal(await typed.and(page.locator(':dir(rtl)')).count(), 1)
  await visit.open('/activity')
  await page.getByText('The account was renamed to').first().waitFor()
  assert.deepEqual(await directions('שלום (beta)!'), ['rtl', 'rtl'])
  assert.deepEqual(visit.faults, [])
})

test('the theme is remembered, prefers-contrast is respected, and browser tabs have titles', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.call('PATCH /v1/account', { name: 'Acme' })
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  await visit.open('/')
  await page.getByRole('link', { name: 'Handbook', exact: true }).waitFor()
  const isDark = async () => ((await coloursOf(page)).paper[0] ?? 255) < 128
  await page.emulateMedia({ colorScheme: 'light' })
  assert.equal(await isDark(), false)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.equal(await isDark(), true)

  const menu = page.getByRole('button', { name: 'menu for Ada Lovelace' })
  await menu.click()
  await page.getByRole('radio', { name: 'Light' }).check({ force: true })
  assert.equal(await isDark(), false)
  await page.reload()
  await menu.waitFor()
  assert.equal(await isDark(), false)
  await menu.click()
  assert.ok(await page.getByRole('radio', { name: 'Light' }).isChecked())
  await page.getByRole('radio', { name: 'System' }).check({ force: true })
  assert.equal(await isDark(), true)
  await page.keyboard.press('Escape')

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, contrast: 'more' })
    const { paper, soft } = await coloursOf(page)
    assert.ok(contrast(paper, soft) > 9, `${colorScheme}: ${contrast(paper, soft)}`)
  }
  await page.emulateMedia({ contrast: 'no-preference' })

  assert.equal(await page.title(), 'Projects · Acme · Masthead')
  await page.getByRole('link', { name: 'Handbook', exact: true }).click()
  await page.getByRole('link', { name: 'Deployments' }).click()
  await page.getByRole('heading', { name: 'Deployments', level: 1 }).waitFor()
  assert.equal(await page.title(), 'Deployments · Handbook · Masthead')

  const find = async (query: string, title: string) => {
    await page.getByRole('button', { name: /^Find/ }).click()
    await page.getByRole('combobox').fill(query)
    await page.getByRole('option', { selected: true, name: title }).waitFor()
  }
  await find('roll back', 'Roll back Handbook')
  await page.keyboard.press('Escape')
  await find('dark', 'Use dark theme')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox').waitFor({ state: 'detached' })
  await page.emulateMedia({ colorScheme: 'light' })
  assert.equal(await isDark(), true)
  await find('new key', 'Create API key')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Create API key' }).getByRole('button', { name: 'Cancel' }).click()
  await find('logout', 'Sign out')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(await isDark(), true)
  assert.deepEqual(visit.faults, [])
})

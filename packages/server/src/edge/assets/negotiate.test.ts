import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Coding, isNavigation, type NavigationHeaders, negotiate } from './negotiate.ts'

const all = { br: 1, zstd: 1, gzip: 1 }

const choices: [header: string | undefined, available: Parameters<typeof negotiate>[1], coding: Coding][] = [
  [undefined, all, 'identity'],
  ['', all, 'identity'],
  ['gzip, deflate, br, zstd', all, 'br'],
  ['gzip, zstd', all, 'zstd'],
  ['gzip', all, 'gzip'],
  ['x-gzip', all, 'gzip'],
  ['GZIP', all, 'gzip'],
  ['gzip, br', { gzip: 1 }, 'gzip'],
  ['br', { gzip: 1 }, 'identity'],
  ['gzip, br', {}, 'identity'],
  ['gzip, br', undefined, 'identity'],
  ['deflate', all, 'identity'],
  ['br;q=0.5, gzip;q=0.8', all, 'gzip'],
  ['br ; q=0.5 , gzip;q=0.5', all, 'br'],
  ['br;q=0, gzip', all, 'gzip'],
  ['br;q=0', all, 'identity'],
  ['*', all, 'br'],
  ['*;q=0.1, gzip', all, 'gzip'],
  ['br;q=0, *', all, 'zstd'],
  ['*;q=0', all, 'identity'],
  ['identity;q=1, gzip;q=0.5', all, 'identity'],
  ['identity;q=0.1, gzip;q=0.5', all, 'gzip'],
  ['identity;q=0, gzip;q=0.1', all, 'gzip'],
  ['identity;q=0', {}, 'identity'],
  ['gzip;q=0.001', all, 'gzip'],
  ['gzip;q=2', all, 'identity'],
  ['gzip;q=nonsense', all, 'identity'],
]

for (const [header, available, coding] of choices) {
  test(`of ${Object.keys(available ?? {})}, ${JSON.stringify(header)} gets ${coding}`, () => {
    assert.equal(negotiate(header, available), coding)
    assert.equal(negotiate(header, available), coding, 'and remembered')
  })
}

test('for any header, only an available coding is chosen', () => {
  const token = fc.constantFrom(
    'br',
    'gzip',
    'zstd',
    'identity',
    '*',
    'q=',
    '0',
    '.5',
    '1',
    ';',
    ',',
    ' ',
    '=',
  )
  const header = fc.array(token).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.oneof(header, fc.string()),
      fc.subarray(['br', 'zstd', 'gzip'] as const),
      (text, existing) => {
        const coding = negotiate(text, Object.fromEntries(existing.map((name) => [name, 1])))
        assert.ok(coding === 'identity' || existing.includes(coding))
      },
    ),
  )
})

const chromeNavigation = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

const navigations: NavigationHeaders[] = [
  {},
  { accept: '*/*' },
  { accept: chromeNavigation },
  { accept: 'application/json, TEXT/HTML;q=0.1' },
  { accept: 'text/*' },
  { 'sec-fetch-dest': 'document', accept: chromeNavigation },
  { 'sec-fetch-dest': 'iframe', accept: chromeNavigation },
]
const others: NavigationHeaders[] = [
  { accept: 'application/json' },
  { accept: 'text/css' },
  { accept: 'text/htmlx' },
  { accept: '' },
  { 'sec-fetch-dest': 'empty', accept: '*/*' },
  { 'sec-fetch-dest': 'script', accept: '*/*' },
  { 'sec-fetch-dest': 'serviceworker', accept: '*/*' },
  { 'sec-fetch-dest': 'empty', accept: chromeNavigation },
  { 'sec-fetch-dest': 'image, document' },
]

for (const headers of navigations) {
  test(`${JSON.stringify(headers)} asks for a page`, () => assert.equal(isNavigation(headers), true))
}
for (const headers of others) {
  test(`${JSON.stringify(headers)} does not ask for a page`, () => assert.equal(isNavigation(headers), false))
}

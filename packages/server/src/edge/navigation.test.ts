import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNavigation, type NavigationHeaders } from './navigation.ts'

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

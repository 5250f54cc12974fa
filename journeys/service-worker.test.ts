import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'

/** As build tools generate it: precaches pages by file name and serves navigations from them. */
const worker = `
const pages = { '/': '/index.html', '/about': '/about.html' }
addEventListener('install', (event) => {
  skipWaiting()
  event.waitUntil(caches.open('pages').then((cache) => cache.addAll(Object.values(pages))))
})
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const page = pages[new URL(event.request.url).pathname]
  if (event.request.mode === 'navigate' && page) event.respondWith(caches.match(page))
})`
const pageOf = (title: string) =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><script>navigator.serviceWorker.register('/sw.js')</script>`

test('a service worker that precaches pages by file name shows them on the second visit', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using masthead = await MastheadProcess.start()
  const publisher = await createPublisher(masthead)
  await publisher.createProject('offline')
  const files = { 'index.html': pageOf('Front'), 'about.html': pageOf('About'), 'sw.js': worker }
  await publisher.publishArchive('offline', tarGz(files))
  await using browser = await startChromium()
  const page = await browser.context.newPage()
  const { port } = new URL(masthead.origin)
  const site = `http://offline.masthead.localhost:${port}`

  await page.goto(site)
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
  await page.waitForFunction('navigator.serviceWorker.controller !== null')
  for (const [path, title] of [
    ['/', 'Front'],
    ['/about', 'About'],
  ] as const) {
    const answer = await page.goto(`${site}${path}`)
    assert.ok(answer?.fromServiceWorker(), path)
    assert.equal(await page.textContent('h1'), title)
  }
  // Typing a file name still redirects to the page's URL.
  await page.goto(`${site}/about.html`)
  assert.equal(page.url(), `${site}/about`)
})

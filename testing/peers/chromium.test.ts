import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startChromium } from './chromium.ts'
import { skipWithout } from './peers.ts'

test('a page on a name under localhost opens in a real browser', {
  skip: skipWithout('chromium'),
}, async () => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html').end(`<h1>${request.headers.host}</h1>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await using browser = await startChromium()
    const page = await browser.context.newPage()
    const { port } = server.address() as AddressInfo
    await page.goto(`http://hello.masthead.localhost:${port}/`)
    assert.equal(await page.textContent('h1'), `hello.masthead.localhost:${port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

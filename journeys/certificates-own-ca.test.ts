import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { curl, Http2Connection } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createTenant } from './tenant.ts'

const program = fileURLToPath(new URL('../packages/cli/bin/masthead.js', import.meta.url))
const [site, other] = ['acme.masthead.localhost', 'hello.masthead.localhost'] as const

test('on a laptop every site is served over HTTPS with an internal root that clients can trust', {
  skip: skipWithout('curl', 'chromium', 'nss'),
  timeout: 300_000,
}, async (t) => {
  await using masthead = await MastheadProcess.start({
    apiHost: '127.0.0.1',
    env: { MASTHEAD_HTTPS_REDIRECT: 'on' },
  })
  const { httpPort, httpsPort } = masthead
  const tenant = await createTenant(masthead, 'acme')
  await using home = await temporaryFolder()
  const env = { PATH: process.env.PATH, HOME: home.path, MASTHEAD_SERVER: masthead.origin }
  await promisify(execFile)(process.execPath, [program, 'ca', '--output', 'root.pem'], {
    cwd: home.path,
    env,
  })
  const rootFile = join(home.path, 'root.pem')
  const root = await tenant.client.getCaRoot()

  await t.test('curl and Chromium accept it with the root that `masthead ca` saved', async () => {
    const answer = await curl(`https://${site}:${httpsPort}/`, rootFile)
    assert.deepEqual(answer, { status: 200, version: '2', location: '', body: 'acme' })
    const api = await curl(`https://localhost:${httpsPort}/healthz`, rootFile)
    assert.equal(api.status, 200)
    await using browser = await startChromium({ root })
    const page = await browser.context.newPage()
    // Starts with plain HTTP, like a typed address.
    await page.goto(`http://${site}:${httpPort}/`)
    assert.equal(page.url(), `https://${site}:${httpsPort}/`)
    assert.equal(await page.locator('body').innerText(), 'acme')
  })

  await t.test('plain HTTP redirects to HTTPS with path and query, except for challenges', async () => {
    for (const method of ['GET', 'POST']) {
      const plain = `http://${site}:${httpPort}/a%20b/?c=%2F&d`
      const { status, location } = await curl(plain, rootFile, '--request', method)
      assert.deepEqual([status, location], [308, `https://${site}:${httpsPort}/a%20b/?c=%2F&d`])
    }
    const challenge = `http://${site}:${httpPort}/.well-known/acme-challenge/token`
    assert.equal((await curl(challenge, rootFile)).status, 404)
  })

  await t.test('a connection for one name cannot reach another', async () => {
    using http1 = await OpenConnection.securelyTo(httpsPort, site, root)
    using http2 = await Http2Connection.to(httpsPort, site, root)
    for (const connection of [http1, http2]) {
      assert.equal((await connection.ask(site)).body, 'acme')
      assert.equal((await connection.ask(other)).status, 421)
    }
  })

  await t.test('HSTS is sent if the project requires it', async () => {
    using connection = await Http2Connection.to(httpsPort, site, root)
    const hsts = async () => (await connection.ask(site)).headers['strict-transport-security']
    assert.equal(await hsts(), undefined)
    const params = { project: 'acme' }
    await tenant.client.changeProject({ params, body: { strictTransportSecurity: true } })
    assert.equal(await hsts(), 'max-age=31536000')
    await tenant.client.changeProject({ params, body: { strictTransportSecurity: false } })
    assert.equal(await hsts(), undefined)
  })
})

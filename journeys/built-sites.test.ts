import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { Http2Connection } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { type RunningChromium, startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import type { Page } from 'playwright-core'

interface Walk {
  /** What only the build writes, so that it must be kept. */
  fingerprinted: RegExp
  /** The heading at each path. */
  pages: Record<string, string>
  /** Where the browser ends up. */
  redirects: Record<string, string>
  missing: { path: string; status: number; heading: string }
  /** From the first page: what is clicked, and the heading that appears. */
  click: [link: string, heading: string]
  /** Headers of the rules, by path. */
  headers: Record<string, Record<string, string>>
}

/** How built-sites/README.md says they were made. */
const walks: Record<string, Walk> = {
  vitepress: {
    fingerprinted: /^\/assets\//,
    pages: {
      '/': 'Tides',
      '/guide/': 'Guide',
      '/guide/harbour': 'Harbour',
      '/guide/harbour#moorings': 'Harbour',
    },
    redirects: {
      '/start': '/guide/',
      '/old-guide/harbour?from=there': '/guide/harbour?from=there',
      '/guide/harbour.html': '/guide/harbour',
      '/guide': '/guide/',
    },
    missing: { path: '/guide/nowhere', status: 404, heading: 'PAGE NOT FOUND' },
    click: ['main a[href="/guide/"]', 'Guide'],
    headers: { '/': { 'cache-control': 'public, max-age=0, must-revalidate' } },
  },
  astro: {
    fingerprinted: /^\/_astro\//,
    pages: { '/': 'Tides', '/guide/harbour/': 'Harbour' },
    redirects: {
      '/guide': '/guide/harbour/',
      '/posts/harbour': '/guide/harbour/',
      '/guide/harbour': '/guide/harbour/',
      '/index.html': '/',
    },
    missing: { path: '/nowhere/at/all', status: 404, heading: 'Nothing here but water' },
    click: ['a', 'Harbour'],
    headers: { '/': { 'content-security-policy': "default-src 'self'; style-src 'self' 'unsafe-inline'" } },
  },
  docusaurus: {
    fingerprinted: /^\/assets\/(?:css|js)\//,
    pages: { '/': 'Tides', '/guide/harbour/': 'Harbour', '/guide/harbour/#moorings': 'Harbour' },
    redirects: { '/docs/guide/harbour': '/guide/harbour/', '/guide': '/guide/harbour/' },
    missing: { path: '/guide/nowhere', status: 404, heading: 'Page Not Found' },
    click: ['.markdown p a', 'Harbour'],
    headers: { '/': { 'x-frame-options': 'SAMEORIGIN' } },
  },
  eleventy: {
    fingerprinted: /^\/bundle\//,
    pages: { '/': 'Tides', '/guide/harbour/': 'Harbour' },
    redirects: {
      '/feed': '/guide/harbour/',
      '/posts/harbour': '/guide/harbour/',
      '/shop?id=harbour': '/guide/harbour/',
    },
    missing: { path: '/nowhere', status: 404, heading: 'Nothing here but water' },
    click: ['a', 'Harbour'],
    headers: { '/': { link: '</styles.css>; rel=preload; as=style' } },
  },
  vite: {
    fingerprinted: /^\/assets\//,
    pages: { '/': 'Tides', '/harbour': 'Harbour' },
    redirects: { '/old-harbour': '/harbour' },
    missing: { path: '/deep/nowhere', status: 200, heading: 'No such view' },
    click: ['a', 'Harbour'],
    headers: {
      '/harbour': { 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' },
      '/data/today': { 'access-control-allow-origin': '*', 'content-type': 'application/json' },
    },
  },
}

async function builtFiles(tool: string): Promise<Record<string, string>> {
  const folder = join(import.meta.dirname, 'built-sites', tool, 'built')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = files.map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const)
  return Object.fromEntries(await Promise.all(read))
}

describe('sites as their tools built them', {
  skip: skipWithout('chromium', 'nss'),
  timeout: 300_000,
}, () => {
  let masthead: MastheadProcess
  let browser: RunningChromium
  const originOf = (tool: string) => `https://${tool}.masthead.localhost:${masthead.httpsPort}`

  before(async () => {
    masthead = await MastheadProcess.start()
    const publisher = await createPublisher(masthead)
    for (const tool of Object.keys(walks)) {
      await publisher.createProject(tool)
      await publisher.publishArchive(tool, tarGz(await builtFiles(tool)))
    }
    const root = await createClient({ server: masthead.origin, key: publisher.key }).getCaRoot()
    for (const tool of Object.keys(walks)) {
      // The first handshake may come before the certificate is there.
      await until(async () => {
        using connection = await Http2Connection.to(masthead.httpsPort, `${tool}.masthead.localhost`, root)
        return (await connection.ask(`${tool}.masthead.localhost`, '/')).status === 200
      })
    }
    browser = await startChromium({ root })
  })
  after(async () => {
    await browser.close()
    await masthead.stop()
  })

  /** A new tab, with the paths that it asked the server for, those that it had, and those that arrived whole. */
  async function openTab() {
    const page = await browser.context.newPage()
    const network = await browser.context.newCDPSession(page)
    const asked = new Set<string>()
    const had = new Set<string>()
    const whole = new Set<string>()
    const hints: (string | undefined)[] = []
    const faults: string[] = []
    const fromMemory = new Set<string>()
    const paths = new Map<string, string>()
    network.on('Network.requestServedFromCache', ({ requestId }) => void fromMemory.add(requestId))
    network.on('Network.responseReceived', ({ requestId, response }) => {
      const { pathname } = new URL(response.url)
      const isKept = response.fromDiskCache === true || fromMemory.has(requestId)
      paths.set(requestId, pathname)
      if (isKept) had.add(pathname)
      else asked.add(pathname)
    })
    network.on('Network.loadingFinished', ({ requestId }) => void whole.add(paths.get(requestId) ?? ''))
    network.on('Network.responseReceivedEarlyHints', ({ headers }) => void hints.push(headers.link))
    page.on('pageerror', (error) => void faults.push(error.message))
    await network.send('Network.enable')
    return { page, asked, had, whole, hints, faults }
  }

  const heading = (page: Page, text: string) =>
    page.locator('h1').filter({ hasText: text }).first().waitFor({ state: 'visible' })

  test('eleventy: Chromium takes what the rules hint at', async () => {
    const { page, hints } = await openTab()
    let visits = 0
    // A new tab's first page may come before Chromium tells of hints.
    await until(async () => {
      visits++
      await page.goto(`${originOf('eleventy')}/`)
      return hints.length > 0
    })
    assert.deepEqual(new Set(hints), new Set(['</styles.css>; rel=preload; as=style']))
    assert.ok(hints.length <= visits, `${hints.length} hints in ${visits} visits`)
    await page.close()
  })

  for (const [tool, { fingerprinted, pages, redirects, missing, click, headers }] of Object.entries(walks)) {
    test(`${tool}: everything works, and a second visit asks for nothing that is fingerprinted`, async () => {
      const origin = originOf(tool)
      const first = await openTab()
      const { page } = first
      for (const [path, title] of Object.entries(pages)) {
        const answer = await page.goto(`${origin}${path}`)
        // Null if only the fragment is another.
        if (answer !== null) assert.equal(answer.status(), 200, path)
        await heading(page, title)
      }
      for (const [from, to] of Object.entries(redirects)) {
        await page.goto(`${origin}${from}`)
        assert.equal(page.url(), `${origin}${to}`, from)
      }
      await page.goto(`${origin}/`)
      await page.click(click[0])
      await heading(page, click[1])
      const lost = await page.goto(`${origin}${missing.path}`)
      assert.equal(lost?.status(), missing.status)
      await heading(page, missing.heading)
      for (const [path, expected] of Object.entries(headers)) {
        const answer = await page.goto(`${origin}${path}`)
        for (const [name, value] of Object.entries(expected)) {
          assert.equal(await answer?.headerValue(name), value, `${path} ${name}`)
        }
      }
      await page.close()
      assert.deepEqual(first.faults, [])

      // What was on its way when a page was left may be asked for again.
      const hashed = Object.keys(await builtFiles(tool))
        .map((name) => `/${name}`)
        .filter((path) => fingerprinted.test(path))
      const kept = first.whole.intersection(new Set(hashed))
      assert.ok(kept.size > 0)
      const second = await openTab()
      for (const path of Object.keys(pages)) {
        await second.page.goto(`${origin}${path}`, { waitUntil: 'networkidle' })
        assert.ok(second.asked.has(new URL(path, origin).pathname), path)
      }
      await second.page.close()
      assert.deepEqual([...second.asked.intersection(kept)], [])
      assert.ok(second.had.intersection(kept).size > 0)
    })
  }
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const pages = {
  '/index.html': 'front',
  '/about.html': 'about',
  '/docs/index.html': 'docs',
  '/app.html': 'app',
}
const moved = { redirects: [{ source: '/about', destination: '/about.html' }] }

describe('forced rules whose target leads back', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  before(async () => {
    edge = await startEdge()
    const sites: Record<string, string> = {
      file: '/about /about.html 301!\n/ /index.html 302!\n/docs/ /docs 301!',
      slash: '/about /about/ 301!\n/ /index 302!\n/docs/ /docs/index.html 301!',
      own: '/about /about.html?from=old 301!',
      pattern: '/:page /:page.html 301!',
      absolute: '/about http://absolute.masthead.localhost/about.html 301!',
      german: '/about /about.html 301! Language=de',
      other: '/about /about/ 301!\n/about/ /app.html 200!',
      split: '/about /about.html 301!\n/about.html /docs/ 301!',
      double: '/about /about//index.html 301!\n/docs/ /docs//',
      same: '/* /:splat 301!',
    }
    for (const [label, text] of Object.entries(sites)) {
      await edge.publish(label, { ...pages, '/_redirects': text })
    }
    await edge.publish('none', { ...pages, '/_redirects': sites.file ?? '' }, { htmlHandling: 'none' })
    await edge.publish('vercel', { ...pages, '/vercel.json': JSON.stringify(moved) })
  })
  after(() => edge[Symbol.asyncDispose]())

  /** What a browser shows, and how many redirects it took. */
  async function visit(label: string, path: string, headers: Record<string, string> = {}): Promise<string> {
    let at = path
    for (let hops = 0; hops < 6; hops++) {
      const host = `${label}.masthead.localhost`
      const answer = await edge.ask(at, { host, 'sec-fetch-dest': 'document', ...headers })
      const { location } = answer.headers
      if (location === undefined) return `${answer.status} ${answer.body} after ${hops}`
      const url = new URL(location, `http://${host}`)
      at = url.pathname + url.search
    }
    return 'a loop'
  }

  test('are skipped, and the page is shown', async () => {
    for (const label of ['file', 'slash']) {
      assert.equal(await visit(label, '/about'), '200 about after 0', label)
      assert.equal(await visit(label, '/about.html'), '200 about after 1', label)
      assert.equal(await visit(label, '/'), '200 front after 0', label)
      assert.equal(await visit(label, "/?q='&r=%27"), '200 front after 0', label)
      assert.equal(await visit(label, '/docs/'), '200 docs after 0', label)
    }
    assert.equal(await visit('file', '/about/?x=1'), '200 about after 2')
    assert.equal(await visit('slash', '/about/?x=1'), '200 about after 1')
    assert.equal(await visit('vercel', '/about'), '200 about after 0')
    assert.equal(await visit('pattern', '/about'), '200 about after 0')
    assert.equal(await visit('absolute', '/about'), '200 about after 0')
    assert.equal(await visit('german', '/about', { 'accept-language': 'de' }), '200 about after 0')
    assert.equal(await visit('double', '/about'), '200 about after 0')
    assert.equal(await visit('same', "/about?q='"), '200 about after 0')
    assert.equal(await visit('file', '/about', { 'sec-fetch-dest': 'empty' }), '200 about after 0')
  })

  test('apply if they lead somewhere', async () => {
    assert.equal(await visit('own', '/about'), '200 about after 2')
    assert.equal(await visit('none', '/about'), '200 about after 1')
    assert.equal(await visit('other', '/about'), '200 app after 1')
    assert.equal(await visit('split', '/about'), '200 docs after 2')
  })
})

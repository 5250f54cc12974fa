import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { RedirectMatcher } from '@masthead/contract/site-rules/match-redirects.ts'
import { startEdge } from './edge.test-kit.ts'

const files = {
  '/index.html': 'front',
  '/maint.html': 'back soon',
  '/about.html': 'about',
  '/docs/index.html': 'docs',
  '/mock/users.html': 'mock',
  '/kept.txt': 'kept',
  '/other.txt': 'other',
}

describe('the first rule for a path decides, forced or not', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  before(async () => {
    edge = await startEdge()
  })
  after(() => edge[Symbol.asyncDispose]())

  async function publish(rules: Record<string, string>) {
    await edge.publish('hello', { ...files, ...rules })
    edge.edge.changed({ slug: 'hello' })
  }

  async function seen(path: string, fields: Record<string, string> = {}) {
    const { status, headers, body } = await edge.ask(path, fields)
    return `${status} ${headers.location ?? body}`
  }

  test('a forced rule does not overtake the rules before it', async () => {
    await publish({
      '/_redirects': [
        '/old /a 301',
        '/api/* /mock/:splat 200',
        '/kept.txt /elsewhere 301',
        '/lang /de 302 Language=de',
        '/docs/* /manual/:splat 302',
        'http://www.acme.com/shop /buy 302',
        '/* /maint.html 200!',
        '/late /a 301!',
      ].join('\n'),
    })
    edge.routes.set('www.acme.com', { kind: 'site', slug: 'hello' })
    for (const [path, expected] of [
      ['/old', '301 /a'],
      ['/old/', '301 /a'],
      ['/api/users', '200 mock'],
      ['/kept.txt', '200 kept'],
      ['/other.txt', '200 back soon'],
      ['/', '200 back soon'],
      ['/about', '200 back soon'],
      ['/lang', '200 back soon'],
      ['/docs/', '200 docs'],
      ['/docs', '307 /docs/'],
      ['/docs/intro', '302 /manual/intro'],
      ['/shop', '200 back soon'],
      ['/late', '200 back soon'],
    ] as const) {
      assert.equal(await seen(path), expected, path)
    }
    assert.equal(await seen('/lang', { 'accept-language': 'de' }), '302 /de')
    assert.equal((await edge.ask('/lang')).headers.vary, 'Accept-Language')
    assert.equal(await seen('/shop', { host: 'www.acme.com' }), '302 /buy')
    assert.equal((await edge.ask('/kept.txt', {}, 'HEAD')).headers['content-length'], '4')
  })

  test('of several files, the first one that has a rule for the path decides', async () => {
    const vercel = {
      redirects: [
        { source: '/old', destination: '/b' },
        { source: '/about', destination: '/new' },
        { source: '/team/:name', destination: '/b' },
      ],
      rewrites: [
        { source: '/other.txt', destination: '/maint' },
        { source: '/(.*)', destination: '/maint' },
      ],
    }
    await publish({ '/_redirects': '/old /a 301\n/team/* /c 302', '/vercel.json': JSON.stringify(vercel) })
    assert.equal(await seen('/old'), '301 /a')
    assert.equal(await seen('/team/ada'), '302 /c')
    // There, redirects come before files, and rewrites after them.
    assert.equal(await seen('/about'), '308 /new')
    assert.equal(await seen('/other.txt'), '200 other')
    assert.equal(await seen('/none'), '200 back soon')
  })

  test('a forced rule that cannot show its file leaves the path to what comes next', async () => {
    await publish({ '/_redirects': '/* /none.html 200!\n/old /a 301\n/about /b 301!' })
    assert.equal(await seen('/kept.txt'), '200 kept')
    assert.equal(await seen('/old'), '301 /a')
    assert.equal(await seen('/about'), '301 /b')
  })

  test('rules for both spellings of a path keep to their own, forced or not', async () => {
    await publish({ '/_redirects': '/team/ /a 301!\n/team /b 301' })
    assert.equal(await seen('/team/'), '301 /a')
    assert.equal(await seen('/team'), '301 /b')
  })

  test('a page that was visited is still left to rules that look at more than its path', async () => {
    edge.routes.set('other.example', { kind: 'site', slug: 'hello' })
    await publish({
      '/_redirects': [
        'https://other.example/about /there 302!',
        '/docs/ lang=de /de 302!',
        '/kept.txt /mine 302! Language=fr',
      ].join('\n'),
      '/_headers': 'https://other.example/*\n  X-Here: other\n',
    })
    const other = { host: 'other.example' }
    for (let visit = 0; visit < 2; visit++) {
      assert.equal(await seen('/about'), '200 about')
      assert.equal(await seen('/about', other), '302 /there')
      assert.equal(await seen('/docs/'), '200 docs')
      assert.equal(await seen('/docs/?lang=de'), '302 /de')
      assert.equal(await seen('/kept.txt'), '200 kept')
      assert.equal(await seen('/kept.txt', { 'accept-language': 'fr' }), '302 /mine')
      assert.equal((await edge.ask('/other.txt')).headers['x-here'], undefined)
      assert.equal((await edge.ask('/other.txt', other)).headers['x-here'], 'other')
    }
  })

  test('a page that no rule comes before is not compared with them again', async (context) => {
    await publish({ '/_redirects': '/old/:id /a 301!', '/_headers': '/*\n  X-A: b\n' })
    const { mock } = context.mock.method(RedirectMatcher.prototype, 'mayComeBeforeFile')
    for (const path of ['/about', '/kept.txt', '/about?a=b']) await edge.ask(path)
    assert.equal(mock.callCount(), 2)
    const again = await edge.ask('/about')
    assert.deepEqual([again.body.toString(), again.headers['x-a']], ['about', 'b'])
    assert.equal(mock.callCount(), 2)
  })
})

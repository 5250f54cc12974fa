import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const redirects = `
/old            /new
/old-docs/*     /docs/:splat 302
/about          /elsewhere
/about!         /elsewhere
/forced         /new 301!
/plain.txt      /new 308!
/docs           /manual 301
/app/*          /app.html 200
/shop/*         /shop/404.html 404
/lost/*         /nowhere.html 200
/gone           /nowhere.html 404
/self/*         /self/:splat
/hidden         /_headers 200
/.well-known/acme-challenge/* /new 301!
/               /de 302! Language=de
/search q=:q    /find/:q 303
http://www.acme.com/moved/* https://acme.example/:splat 307
/%E7%8C%AB      /cat
`

const headers = `
/*
  X-Frame-Options: DENY
  Cache-Control: public, max-age=60
/about
  X-Page: about
/about.html
  X-File: about
/docs/*
  ! X-Frame-Options
  Cache-Control: s-maxage=5
/data.json
  Content-Type: application/geo+json
  ! X-Content-Type-Options
  Access-Control-Allow-Origin: *
  Link: </a.css>; rel=preload
  Link: </b.css>; rel=preload
  Vary: Origin
  X-Robots-Tag: nosnippet
  Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT
  Set-Cookie: b=2
/app/:view
  X-View: :view
/secure.txt
  Strict-Transport-Security: max-age=5
http://www.acme.com/*
  X-Host: acme
`

const files = {
  '/index.html': 'front',
  '/about.html': 'about',
  '/plain.txt': 'plain',
  '/docs/index.html': 'docs',
  '/app.html': 'app',
  '/shop/404.html': 'no such thing',
  '/404.html': 'gone',
  '/data.json': '{}',
  '/secure.txt': 'secure',
  '/.well-known/acme-challenge/token': 'mine',
  '/_redirects': redirects,
  '/_headers': headers,
}

describe('a site with rules', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  const www = { host: 'www.acme.com' }

  before(async () => {
    edge = await startEdge()
    await edge.publish('hello', files, { encoded: true })
    await edge.publish('one--hello', files)
    await edge.publish('app', { '/index.html': 'app', '/_headers': '/*\n  X-A: 1' }, { singlePage: true })
    await edge.publish('spa', {
      '/index.html': 'app',
      '/docs/index.html': 'docs',
      '/about.html': 'about',
      '/_redirects': '/* /index.html 200',
    })
    edge.routes.set('www.acme.com', { kind: 'site', slug: 'hello' })
  })
  after(() => edge[Symbol.asyncDispose]())

  const seen = async (path: string, fields: Record<string, string> = {}) => {
    const { status, headers, body } = await edge.ask(path, fields)
    return `${status} ${headers.location ?? body.toString()}`
  }

  test('redirects and rewrites', async () => {
    for (const [path, expected] of [
      ['/old', '301 /new'],
      ['/old?a=1&b=2', '301 /new?a=1&b=2'],
      ['/old/', '301 /new'],
      ['//old', '301 /new'],
      ['/old-docs/a/b', '302 /docs/a/b'],
      ['/old-docs//evil.example', '302 /docs/evil.example'],
      ['/old-docs/%2F%2Fevil.example', '404 gone'],
      ['/app/deep/view', '200 app'],
      ['/shop/shoe', '404 no such thing'],
      ['/lost/x', '404 gone'],
      ['/self/x', '404 gone'],
      ['/search?q=caf%C3%A9&x=1', '303 /find/caf%C3%A9?x=1'],
      ['/search', '404 gone'],
      ['/%E7%8C%AB', '301 /cat'],
      ['/moved/x', '404 gone'],
    ] as const) {
      assert.equal(await seen(path), expected, path)
    }
    assert.equal(await seen('/moved/x?y=1', www), '307 https://acme.example/x?y=1')
    assert.match(await seen('/gone'), /^404 <!doctype/)
  })

  test('shows a file rather than apply a rule, unless the rule is forced', async () => {
    assert.equal(await seen('/about'), '200 about')
    assert.equal(await seen('/forced'), '301 /new')
    assert.equal(await seen('/plain.txt'), '308 /new')
    assert.equal(await seen('/index.html'), '307 /')
    assert.equal(await seen('/index.html', { 'sec-fetch-dest': 'empty' }), '200 front')
  })

  test('a rule that names a path comes before HTML handling, a pattern after it', async () => {
    assert.equal(await seen('/docs'), '301 /manual')
    assert.equal(await seen('/docs/'), '200 docs')
    const spa = { host: 'spa.masthead.localhost' }
    assert.equal(await seen('/docs', spa), '307 /docs/')
    assert.equal(await seen('/about/', spa), '307 /about')
    assert.equal(await seen('/about', spa), '200 about')
    assert.equal(await seen('/any/where', spa), '200 app')
    assert.equal(await seen('/missing.js', spa), '200 app')
  })

  test('never shows its rules, whatever rule leads to them', async () => {
    assert.equal(await seen('/hidden'), '404 gone')
    assert.equal(await seen('/_redirects'), '404 gone')
  })

  test('answers challenges before any rule', async () => {
    assert.equal(await seen('/.well-known/acme-challenge/token', www), '200 mine')
    assert.equal(await seen('/.well-known/acme-challenge/other', www), '404 gone')
  })

  test('asks for the language of the visitor, and says that the answer depends on it', async () => {
    const german = await edge.ask('/', { 'accept-language': 'de-AT,en;q=0.7' })
    assert.equal(german.headers.location, '/de')
    assert.equal(german.headers.vary, 'Accept-Language')
    for (const language of ['en', 'en,de;q=0.9', '', ';q=x', 'x'.repeat(5_000)]) {
      const other = await edge.ask('/', { 'accept-language': language })
      assert.equal(other.body.toString(), 'front')
      assert.equal(other.headers.vary, 'Accept-Encoding, Accept-Language')
    }
    assert.equal((await edge.ask('/about')).headers.vary, 'Accept-Encoding')
  })

  test('a rewritten file has its own tag and can be revalidated and sent in parts', async () => {
    const { headers, body } = await edge.ask('/app/deep/view')
    const { etag = '' } = headers
    assert.equal(etag, (await edge.ask('/app')).headers.etag)
    assert.equal((await edge.ask('/app/other', { 'if-none-match': etag })).status, 304)
    const part = await edge.ask('/app/other', { range: 'bytes=1-1' })
    assert.deepEqual([part.status, part.body.toString()], [206, body.toString()[1]])
    const compressed = await edge.ask('/app/other', { 'accept-encoding': 'br' })
    assert.equal(compressed.headers['content-encoding'], 'br')
    const head = await edge.ask('/app/other', {}, 'HEAD')
    assert.equal(head.headers['content-length'], '3')
    assert.equal((await edge.ask('/shop/shoe', { 'if-none-match': '*' })).status, 404)
    assert.equal((await edge.ask('/old', {}, 'POST')).status, 405)
  })

  test('adds up the headers of every rule for a path or its file', async () => {
    const about = (await edge.ask('/about')).headers
    assert.equal(about['x-frame-options'], 'DENY')
    assert.equal(about['cache-control'], 'public, max-age=60')
    assert.equal(about['x-page'], 'about')
    assert.equal(about['x-file'], 'about')
    const docs = (await edge.ask('/docs/')).headers
    assert.equal(docs['x-frame-options'], undefined)
    assert.equal(docs['cache-control'], 's-maxage=5')
    assert.equal((await edge.ask('/app/cart')).headers['x-view'], 'cart')
    assert.equal((await edge.ask('/app/%0D%0AX-Evil:%201')).headers['x-view'], '%0D%0AX-Evil:%201')
    assert.equal((await edge.ask('/about')).headers['x-host'], undefined)
    assert.equal((await edge.ask('/about', www)).headers['x-host'], 'acme')
  })

  test('replaces what the server would send, and adds to its lists', async () => {
    const data = (await edge.ask('/data.json')).headers
    assert.equal(data['content-type'], 'application/geo+json')
    assert.equal(data['x-content-type-options'], undefined)
    assert.equal(data.link, '</a.css>; rel=preload, </b.css>; rel=preload')
    assert.equal(data.vary, 'Accept-Encoding, Origin')
    assert.deepEqual(data['set-cookie'], ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
    assert.equal(data['x-robots-tag'], 'nosnippet')
    const preview = (await edge.ask('/data.json', { host: 'one--hello.masthead.localhost' })).headers
    assert.equal(preview['x-robots-tag'], 'noindex, nosnippet')
  })

  test('sends the headers with 206, 304 and 404 as well, but not with redirects', async () => {
    const { headers } = await edge.ask('/about')
    for (const [path, fields] of [
      ['/about', { range: 'bytes=0-1' }],
      ['/about', { 'if-none-match': headers.etag ?? '' }],
      ['/missing/page', {}],
      ['/shop/shoe', {}],
    ] as const) {
      const answer = await edge.ask(path, fields)
      assert.equal(answer.headers['x-frame-options'], 'DENY', `${path} ${answer.status}`)
      const caching = answer.status === 404 ? 'public, max-age=0, must-revalidate' : 'public, max-age=60'
      assert.equal(answer.headers['cache-control'], caching, `${path} ${answer.status}`)
    }
    assert.equal((await edge.ask('/old')).headers['x-frame-options'], undefined)
    assert.equal((await edge.ask('/any/view', { host: 'app.masthead.localhost' })).headers['x-a'], '1')
  })

  test('does not send HSTS over plain HTTP', async () => {
    const { status, headers } = await edge.ask('/secure.txt')
    assert.equal(status, 200)
    assert.equal(headers['strict-transport-security'], undefined)
    assert.equal(headers['x-frame-options'], 'DENY')
  })
})

test('very long headers are sent like others', async () => {
  await using edge = await startEdge()
  const long = Array.from({ length: 7 }, (_, at) => `  X-Long-${at}: ${'a'.repeat(1_800)}`).join('\n')
  await edge.publish('hello', { '/index.html': 'front', '/_headers': `/*\n${long}` })
  for (let times = 0; times < 3; times++) {
    const { headers, body } = await edge.ask('/')
    assert.equal(body.toString(), 'front')
    assert.equal(headers['x-long-6']?.length, 1_800)
  }
})

test('ten thousand rules answer like one', async () => {
  await using edge = await startEdge()
  const many = [
    ...Array.from({ length: 10_000 }, (_, at) => `/old/${at} /new/${at} 301`),
    ...Array.from({ length: 1_000 }, (_, at) => `/p${at}/:id/* /q${at}/:id?rest=:splat 302`),
  ]
  await edge.publish('hello', { '/index.html': 'front', '/_redirects': many.join('\n') })
  for (const at of [0, 1, 5_000, 9_999]) {
    assert.equal((await edge.ask(`/old/${at}`)).headers.location, `/new/${at}`)
  }
  assert.equal((await edge.ask('/p999/7/a/b')).headers.location, '/q999/7?rest=a%2Fb')
  assert.equal((await edge.ask('/old/10000')).status, 404)
})

test('fingerprinted files are cached for a year, unless a rule or the project says otherwise', async () => {
  await using edge = await startEdge()
  const files = {
    '/index.html': 'front',
    '/app.js': 'app',
    '/assets/index-BxY3kd9a.js': 'hashed',
    '/own/index-BxY3kd9a.js': 'hashed',
    '/_headers': '/own/*\n  Cache-Control: no-cache',
  }
  await edge.publish('hello', files)
  await edge.publish('off', files, { immutableAssets: false })
  const caching = async (path: string, label = 'hello', fields = {}) =>
    (await edge.ask(path, { host: `${label}.masthead.localhost`, ...fields })).headers['cache-control']
  const [forever, revalidate] = ['public, max-age=31536000, immutable', 'public, max-age=0, must-revalidate']
  assert.equal(await caching('/assets/index-BxY3kd9a.js'), forever)
  assert.equal(await caching('/assets/index-BxY3kd9a.js', 'hello', { 'if-none-match': '*' }), forever)
  assert.equal(await caching('/assets/index-BxY3kd9a.js', 'hello', { range: 'bytes=0-1' }), forever)
  assert.equal(await caching('/app.js'), revalidate)
  assert.equal(await caching('/'), revalidate)
  assert.equal(await caching('/own/index-BxY3kd9a.js'), 'no-cache')
  assert.equal(await caching('/assets/index-BxY3kd9a.js', 'off'), revalidate)
  assert.equal(await caching('/assets/missing-BxY3kd9a.js'), 'no-store')
})

test('other files may be shown while a new version is asked for, if the project wants that', async () => {
  await using edge = await startEdge()
  const files = {
    '/index.html': 'front',
    '/old.js': 'old',
    '/assets/index-BxY3kd9a.js': 'hashed',
    '/own.js': 'own',
    '/_headers': '/own.js\n  Cache-Control: no-cache',
    '/_redirects': '/moved /old.js',
  }
  await edge.publish('hello', files, { staleWhileRevalidate: 600 })
  const caching = async (path: string, fields = {}) => (await edge.ask(path, fields)).headers['cache-control']
  const stale = 'public, max-age=0, stale-while-revalidate=600'
  assert.equal(await caching('/'), stale)
  assert.equal(await caching('/old.js'), stale)
  assert.equal(await caching('/old.js', { 'if-none-match': '*' }), stale)
  assert.equal(await caching('/own.js'), 'no-cache')
  assert.equal(await caching('/assets/index-BxY3kd9a.js'), 'public, max-age=31536000, immutable')
  assert.equal(await caching('/moved'), 'public, max-age=0, must-revalidate')
})

test('headers for a folder apply to its page, however URLs map to files', async () => {
  await using edge = await startEdge()
  const files = { '/docs/index.html': 'docs', '/_headers': '/docs/\n  X-Page: docs\n' }
  for (const htmlHandling of ['auto', 'force-trailing-slash', 'none'] as const) {
    await edge.publish('hello', files, { htmlHandling })
    edge.edge.changed({ slug: 'hello' })
    assert.equal((await edge.ask('/docs/')).headers['x-page'], 'docs', htmlHandling)
  }
})

test('masthead.json decides how its own deployment is served, instead of the project', async () => {
  await using edge = await startEdge()
  const files = {
    '/index.html': 'front',
    '/docs/index.html': 'docs',
    '/404.html': 'none',
    '/lost.html': 'lost',
  }
  const members = { htmlHandling: 'drop-trailing-slash', notFound: '/lost.html' }
  await edge.publish('hello', { ...files, '/masthead.json': JSON.stringify(members) })
  await edge.publish('app', { ...files, '/masthead.json': '{"spa":true}' })
  await edge.publish('off', { ...files, '/masthead.json': '{"spa":false}' }, { singlePage: true })
  assert.equal((await edge.ask('/docs')).body.toString(), 'docs')
  assert.equal((await edge.ask('/docs/')).headers.location, '/docs')
  const missing = await edge.ask('/docs/missing')
  assert.deepEqual([missing.status, missing.body.toString()], [404, 'lost'])
  assert.equal((await edge.ask('/masthead.json')).status, 404)
  const visit = async (label: string) =>
    (await edge.ask('/view', { host: `${label}.masthead.localhost`, accept: 'text/html' })).body.toString()
  assert.deepEqual([await visit('app'), await visit('off')], ['front', 'none'])
})

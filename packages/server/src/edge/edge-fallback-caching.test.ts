import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { startEdge } from './edge.test-kit.ts'
import { askStream, startHttps } from './https.test-kit.ts'

const year = 'public, max-age=31536000, immutable'
const revalidate = 'public, max-age=0, must-revalidate'
const gone = '/assets/app-Bq81kXzd.js'
const files = { '/index.html': 'front', '/assets/app-DkW3x9Qa.js': 'app', '/bundle.js': 'bundle' }
const spa = '/* /index.html 200'
const headers = `
/assets/*
  Cache-Control: ${year}
  CDN-Cache-Control: max-age=31536000
  Expires: Wed, 21 Oct 2099 07:28:00 GMT
  Access-Control-Allow-Origin: *
`
const vercel = {
  rewrites: [{ source: '/(.*)', destination: '/index.html' }],
  headers: [
    {
      source: '/assets/(.*)',
      headers: [
        { key: 'Cache-Control', value: year },
        { key: 'CDN-Cache-Control', value: 'max-age=31536000' },
        { key: 'Access-Control-Allow-Origin', value: '*' },
      ],
    },
  ],
}

/** The site asked for. */
const at = (label: string, fields: Record<string, string> = {}) => ({
  host: `${label}.masthead.localhost`,
  ...fields,
})

async function cachingOf(
  edge: Pick<Awaited<ReturnType<typeof startEdge>>, 'ask'>,
  path: string,
  label: string,
) {
  const { status, headers, body } = await edge.ask(path, at(label))
  return [status, body.toString(), headers['cache-control']]
}

test('no cache keeps the page of an app for a script that is gone, where a rule lets it keep scripts', async () => {
  await using edge = await startHttps()
  const sites = {
    spa: { ...files, '/_redirects': spa, '/_headers': headers },
    named: { ...files, '/_redirects': '/assets/:name /index.html 200', '/_headers': headers },
    forced: { ...files, '/_redirects': '/assets/* /index.html 200!', '/_headers': headers },
    vercel: { ...files, '/vercel.json': JSON.stringify(vercel) },
  }
  await edge.certify(...[...Object.keys(sites), 'one-page'].map((label) => at(label).host))
  for (const [label, published] of Object.entries(sites)) {
    await edge.publish(label, published, { encoded: true })
  }
  const onePage = { '/index.html': 'front', '/_headers': headers }
  await edge.publish('one-page', onePage, { encoded: true, singlePage: true })
  for (const label of [...Object.keys(sites), 'one-page']) {
    const path = label === 'one-page' ? '/assets/view' : gone
    const session = edge.openSession(at(label).host)
    const { etag = '' } = (await edge.ask(path, at(label))).headers
    for (const [method, status, fields] of [
      ['GET', 200, {}],
      ['HEAD', 200, {}],
      ['GET', 200, { 'accept-encoding': 'br' }],
      ['GET', 206, { range: 'bytes=0-1' }],
      ['GET', 304, { 'if-none-match': etag }],
      ['HEAD', 304, { 'if-none-match': etag }],
    ] as const) {
      const plain = await edge.ask(path, at(label, fields), method)
      const stream = await askStream(session, path, {
        ':method': method,
        ':authority': at(label).host,
        ...fields,
      })
      for (const { headers, ...answer } of [plain, stream]) {
        assert.equal(answer.status, status, label)
        assert.equal(headers['cache-control'], revalidate, `${label} ${method} ${status}`)
        assert.equal(headers['cdn-cache-control'], undefined, label)
        assert.equal(headers.expires, undefined, label)
        assert.equal(headers['access-control-allow-origin'], '*', label)
      }
    }
  }
  for (const label of ['spa', 'vercel']) {
    assert.deepEqual(await cachingOf(edge, '/assets/app-DkW3x9Qa.js', label), [200, 'app', year])
  }
})

test('a rule for the page itself, or one that is stricter, applies to it under every path', async () => {
  await using edge = await startHttps()
  const rules = [
    '/*\n  Cache-Control: max-age=60',
    '/assets/*\n  ! Cache-Control',
    '/drafts/*\n  ! Cache-Control\n  Cache-Control: no-store',
  ].join('\n')
  await edge.publish('hello', { ...files, '/_redirects': spa, '/_headers': rules }, { encoded: true })
  await edge.publish(
    'removed',
    { ...files, '/_redirects': spa, '/_headers': '/assets/*\n  ! Cache-Control' },
    { encoded: true },
  )
  assert.deepEqual(await cachingOf(edge, '/', 'hello'), [200, 'front', 'max-age=60'])
  assert.deepEqual(await cachingOf(edge, gone, 'hello'), [200, 'front', 'max-age=60'])
  assert.deepEqual(await cachingOf(edge, gone, 'removed'), [200, 'front', revalidate])
  const [, , drafts] = await cachingOf(edge, '/drafts/x', 'hello')
  assert.match(String(drafts), /no-store/)
})

test('a rule that names one path keeps the headers of that path', async () => {
  await using edge = await startHttps()
  const redirects = '/assets/app.js /bundle.js 200\n/* /index.html 200'
  await edge.publish('hello', { ...files, '/_redirects': redirects, '/_headers': headers }, { encoded: true })
  assert.deepEqual(await cachingOf(edge, '/assets/app.js', 'hello'), [200, 'bundle', year])
  assert.deepEqual(await cachingOf(edge, gone, 'hello'), [200, 'front', revalidate])
})

test('no cache keeps a file with a hash in its name under another path', async () => {
  await using edge = await startHttps()
  const rules = '/app.js /assets/app-DkW3x9Qa.js 200\n/assets/app-DkW3x9Qa.js /assets/app-DkW3x9Qa.js 200!'
  const published = { ...files, '/_redirects': rules }
  const more = { '/_headers': '/app.js\n  X-Name: app\n' }
  for (const [label, site] of Object.entries({ plain: published, named: { ...published, ...more } })) {
    await edge.publish(label, site, { encoded: true })
    assert.deepEqual(await cachingOf(edge, '/app.js', label), [200, 'app', revalidate])
    assert.deepEqual(await cachingOf(edge, '/assets/app-DkW3x9Qa.js', label), [200, 'app', year])
    assert.deepEqual(await cachingOf(edge, '/app.js', label), [200, 'app', revalidate])
  }
  const { headers } = await edge.ask('/app.js', at('named'))
  assert.equal(headers['x-name'], 'app')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const year = 'public, max-age=31536000, immutable'
const hashed = '/assets/app-DkW3x9Qa.js'
const cachedForAYear = `
/assets/*
  Cache-Control: ${year}
  CDN-Cache-Control: max-age=31536000
  Access-Control-Allow-Origin: *
`

test('shared caches keep no file before it is compressed, and get the compressed one when they ask', async () => {
  await using edge = await startEdge()
  const file = { [hashed]: 'let it = be\n'.repeat(200_000) }
  const accept = { 'accept-encoding': 'br, gzip' }
  await edge.publish('hello', file)
  const plain = await edge.ask(hashed, accept)
  assert.equal(plain.headers['content-encoding'], undefined)
  const tag = plain.headers.etag ?? ''
  for (const [status, fields] of [
    [200, accept],
    [200, {}],
    [304, { ...accept, 'if-none-match': tag }],
    [206, { range: 'bytes=0-9' }],
  ] as const) {
    const { headers, ...answer } = await edge.ask(hashed, fields)
    assert.equal(answer.status, status)
    assert.equal(headers['cache-control'], `${year}, s-maxage=0`)
    assert.equal(headers.vary, 'Accept-Encoding')
  }

  const { manifest } = await edge.publish('hello', file, { encoded: true })
  const encoded = manifest.get(hashed)?.encoded ?? assert.fail()
  const { gzip = assert.fail(), ...best } = encoded
  const ask = async (encoding: string) => {
    const answer = await edge.ask(hashed, { ...accept, 'if-none-match': tag })
    assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, encoding])
    assert.equal(answer.headers.vary, 'Accept-Encoding')
    return answer.headers['cache-control']
  }
  for (const name of ['br', 'zstd'] as const) delete encoded[name]
  edge.edge.changed({ slug: 'hello' })
  assert.equal(await ask('gzip'), `${year}, s-maxage=0`)
  Object.assign(encoded, best, { gzip })
  edge.edge.changed({ slug: 'hello' })
  assert.equal(await ask('br'), year)
  assert.equal((await edge.ask(hashed, { 'if-none-match': tag })).headers['cache-control'], year)
})

test('shared caches keep what is never compressed, or was not worth it, from the start', async () => {
  await using edge = await startEdge()
  const image = '/_astro/photo.png'
  const large = '/_astro/map.js'
  const tried = '/_astro/seed.css'
  const { manifest } = await edge.publish('hello', {
    [hashed]: 'short',
    [image]: 'pixels '.repeat(1_000),
    [large]: Buffer.alloc(16 * 1024 ** 2 + 1),
    [tried]: 'random '.repeat(1_000),
  })
  const file = manifest.get(tried) ?? assert.fail()
  file.encoded = {}
  for (const path of [hashed, image, large, tried]) {
    const { headers } = await edge.ask(path, { 'accept-encoding': 'br' }, 'HEAD')
    assert.equal(headers['cache-control'], year, path)
  }
})

test('a rule for shared caches counts once the file is compressed', async () => {
  await using edge = await startEdge()
  const cases = [
    [year, `${year}, s-maxage=0`],
    ['S-MaxAge=600, max-age=5', 's-maxage=0, max-age=5'],
    ['max-age=60, stale-while-revalidate=600', 'max-age=60, stale-while-revalidate=600, s-maxage=0'],
    ['public', 'public, s-maxage=0'],
    ['private, max-age=600', 'private, max-age=600'],
    ['no-store', 'no-store'],
    ['public, max-age=0, must-revalidate', 'public, max-age=0, must-revalidate'],
  ] as const
  const rules = cases.map(([value], at) => `/${at}.js\n  Cache-Control: ${value}`)
  const files = Object.fromEntries(cases.map((_, at) => [`/${at}.js`, `let it = ${at}\n`.repeat(1_000)]))
  files['/cdn.js'] = 'let it = be\n'.repeat(1_000)
  files['/_headers'] = [
    ...rules,
    '/cdn.js\n  ! Cache-Control\n  CDN-Cache-Control: max-age=600\n  Surrogate-Control: no-store',
  ].join('\n')
  await edge.publish('hello', files)
  await edge.publish('done', files, { encoded: true })
  for (const [at, [value, until]] of cases.entries()) {
    const done = await edge.ask(`/${at}.js`, { host: 'done.masthead.localhost' })
    assert.equal(done.headers['cache-control'], value)
    assert.equal((await edge.ask(`/${at}.js`)).headers['cache-control'], until)
  }
  const { headers } = await edge.ask('/cdn.js')
  assert.equal(headers['cache-control'], 's-maxage=0')
  assert.equal(headers['cdn-cache-control'], undefined)
  assert.equal(headers['surrogate-control'], 'no-store')
  const done = await edge.ask('/cdn.js', { host: 'done.masthead.localhost' })
  assert.deepEqual(
    [done.headers['cache-control'], done.headers['cdn-cache-control']],
    [undefined, 'max-age=600'],
  )
})

test('a refusal of one request is not kept for others, whatever the rules for the file', async () => {
  await using edge = await startEdge()
  const files = { '/index.html': 'front', [hashed]: 'app' }
  await edge.publish('hello', files, { encoded: true })
  await edge.publish('ruled', { ...files, '/_headers': cachedForAYear }, { encoded: true })
  for (const label of ['hello', 'ruled']) {
    const host = `${label}.masthead.localhost`
    assert.equal((await edge.ask(hashed, { host })).headers['cache-control'], year)
    for (const [status, fields] of [
      [412, { 'if-match': '"another"' }],
      [416, { range: 'bytes=999-' }],
    ] as const) {
      const { headers, ...answer } = await edge.ask(hashed, { host, ...fields })
      assert.deepEqual([answer.status, headers['cache-control']], [status, 'no-store'], label)
      assert.equal(headers['cdn-cache-control'], undefined)
      assert.equal(headers['access-control-allow-origin'], label === 'ruled' ? '*' : undefined)
    }
  }
})

test('a missing file is asked for again, where a rule lets caches keep the files of its folder', async () => {
  await using edge = await startEdge()
  const page = { '/index.html': 'front', '/404.html': 'none' }
  const ruled = { ...page, [hashed]: 'app', '/_headers': cachedForAYear }
  await edge.publish('hello', ruled)
  await edge.publish('by-rule', { ...ruled, '/_redirects': '/assets/* /404.html 404' })
  await edge.publish('stale', ruled, { staleWhileRevalidate: 600 })
  await edge.publish('one--hello', ruled)
  await edge.publish('removed', { ...ruled, '/_headers': '/*\n  ! Cache-Control\n  X-Rule: 1' })
  const image = { '/_astro/none.svg': '<svg/>', '/_redirects': '/assets/* /_astro/none.svg 404' }
  await edge.publish('hashed-page', image)
  const revalidate = 'public, max-age=0, must-revalidate'
  for (const [label, expected] of [
    ['hello', revalidate],
    ['by-rule', revalidate],
    ['stale', 'public, max-age=0, stale-while-revalidate=600'],
    ['one--hello', revalidate],
    ['removed', revalidate],
    ['hashed-page', revalidate],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const host = `${label}.masthead.localhost`
      const { status, headers } = await edge.ask('/assets/gone-Bq81kXzd.js', { host }, method)
      assert.deepEqual([status, headers['cache-control']], [404, expected], label)
      assert.equal(headers['cdn-cache-control'], undefined)
    }
  }
  const { headers } = await edge.ask('/assets/gone-Bq81kXzd.js')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal((await edge.ask(hashed)).headers['cache-control'], year)
})

test('a rule that lets no cache use a file unasked applies to missing ones too', async () => {
  await using edge = await startEdge()
  for (const value of ['no-store', 'private, no-cache', 'max-age=0', 'max-age=60, no-store']) {
    const rules = `/assets/*\n  Cache-Control: ${value}`
    await edge.publish('hello', { '/404.html': 'none', '/_headers': rules })
    edge.edge.changed({ slug: 'hello' })
    const { status, headers } = await edge.ask('/assets/gone.js')
    assert.deepEqual([status, headers['cache-control']], [404, value])
  }
})

test('a rule that lets browsers guess does not apply to missing files', async () => {
  await using edge = await startEdge()
  for (const value of ['s-maxage=0', 'public, s-maxage=0', 'stale-if-error=0', 'public']) {
    const rules = `/assets/*\n  Cache-Control: ${value}`
    await edge.publish('hello', { '/404.html': 'none', '/_headers': rules })
    edge.edge.changed({ slug: 'hello' })
    const { headers } = await edge.ask('/assets/gone.js')
    assert.equal(headers['cache-control'], 'public, max-age=0, must-revalidate', value)
  }
})

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

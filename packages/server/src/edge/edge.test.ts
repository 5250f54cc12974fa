import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { startEdge } from './edge.test-kit.ts'

const MiB = 1024 ** 2
const text = 'All the news that fits. '.repeat(100)
const large = Buffer.alloc(3 * MiB, 'The quick brown fox jumps over the lazy dog. ')
const revalidate = 'public, max-age=0, must-revalidate'

const decompress = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }

describe('a published site', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>

  before(async () => {
    edge = await startEdge()
    const files = {
      '/index.html': '<h1>Hello</h1>',
      '/about.html': text,
      '/404.html': '<h1>Gone</h1>',
      '/docs/index.html': 'docs',
      '/empty.txt': '',
      '/café.txt': 'coffee',
      '/large.bin': large,
    }
    await edge.publish('hello', files, { encoded: true })
    await edge.publish('plain', { '/index.html': text, '/photo.jpg': text, '/short.txt': 'short' })
    await edge.publish('app', { '/index.html': 'app', '/404.html': 'no' }, { singlePage: true })
    await edge.publish('one--hello', files, { encoded: true })
    await edge.publish('fresh', {}, { deploymentId: null })
  })
  after(() => edge[Symbol.asyncDispose]())

  test('is served with headers that allow caching with revalidation', async () => {
    const { status, headers, body } = await edge.ask('/')
    assert.equal(status, 200)
    assert.equal(body.toString(), '<h1>Hello</h1>')
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['content-length'], '14')
    assert.equal(headers['cache-control'], revalidate)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['accept-ranges'], 'bytes')
    assert.equal(headers.vary, 'Accept-Encoding')
    assert.equal(headers.etag, `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`)
    assert.equal(headers['x-robots-tag'], undefined)
  })

  test('redirects to the canonical path of a page and keeps the query', async () => {
    const { status, headers, body } = await edge.ask('/about.html?utm=1&x=//y')
    assert.equal(status, 307)
    assert.equal(headers.location, '/about?utm=1&x=//y')
    assert.equal(body.length, 0)
    assert.equal((await edge.ask('/about?utm=1')).body.toString(), text)
  })

  test('answers HEAD like GET, without the body', async () => {
    for (const path of ['/about', '/large.bin', '/missing', '/about.html']) {
      const got = await edge.ask(path)
      const head = await edge.ask(path, {}, 'HEAD')
      assert.equal(head.status, got.status)
      assert.equal(head.body.length, 0)
      assert.deepEqual({ ...head.headers, date: '' }, { ...got.headers, date: '' })
    }
  })

  test('is sent compressed if the client accepts it, with a different ETag per coding', async () => {
    const plain = await edge.ask('/about')
    const tags = new Set([plain.headers.etag])
    for (const coding of ['br', 'zstd', 'gzip'] as const) {
      const { headers, body } = await edge.ask('/about', { 'accept-encoding': coding })
      assert.equal(headers['content-encoding'], coding)
      assert.equal(headers['content-length'], String(body.length))
      assert.equal(headers.vary, 'Accept-Encoding')
      assert.equal(decompress[coding](body).toString(), text)
      tags.add(headers.etag)
    }
    assert.equal(tags.size, 4)
    const large = await edge.ask('/large.bin', { 'accept-encoding': 'gzip, br' })
    assert.equal(large.headers['content-encoding'], 'br')
  })

  test('does not vary if it is never compressed', async () => {
    for (const [path, vary] of [
      ['/', 'Accept-Encoding'],
      ['/photo.jpg', undefined],
      ['/short.txt', undefined],
    ] as const) {
      const { headers } = await edge.ask(path, { host: 'plain.masthead.localhost', 'accept-encoding': 'br' })
      assert.equal(headers.vary, vary, path)
      assert.equal(headers['content-encoding'], undefined)
    }
  })

  test('is not sent again to a client that has it in the negotiated coding', async () => {
    const { headers } = await edge.ask('/about', { 'accept-encoding': 'br' })
    const tag = headers.etag ?? ''
    const same = await edge.ask('/about', { 'accept-encoding': 'br', 'if-none-match': `"x", W/${tag}` })
    assert.equal(same.status, 304)
    assert.equal(same.body.length, 0)
    assert.equal(same.headers.etag, tag)
    assert.equal(same.headers['cache-control'], revalidate)
    assert.equal(same.headers.vary, 'Accept-Encoding')
    assert.equal((await edge.ask('/about', { 'if-none-match': tag })).status, 200)
    assert.equal((await edge.ask('/about', { 'if-none-match': '*' }, 'HEAD')).status, 304)
  })

  test('is sent in part, for small and large files, from the uncompressed file', async () => {
    for (const [path, content] of [
      ['/about', Buffer.from(text)],
      ['/large.bin', large],
    ] as const) {
      const size = content.length
      for (const [range, start, end] of [
        ['bytes=0-9', 0, 9],
        ['bytes=100-', 100, size - 1],
        ['bytes=-7', size - 7, size - 1],
      ] as const) {
        const part = await edge.ask(path, { range, 'accept-encoding': 'br' })
        assert.equal(part.status, 206)
        assert.equal(part.headers['content-range'], `bytes ${start}-${end}/${size}`)
        assert.equal(part.headers['content-length'], String(end - start + 1))
        assert.equal(part.headers['content-encoding'], undefined)
        assert.deepEqual(part.body, content.subarray(start, end + 1))
      }
      const outside = await edge.ask(path, { range: `bytes=${size}-` })
      assert.equal(outside.status, 416)
      assert.equal(outside.headers['content-range'], `bytes */${size}`)
      assert.equal(outside.headers['content-length'], '0')
      assert.equal((await edge.ask(path, { range: 'bytes=0-1,3-4' })).status, 200)
    }
    assert.equal((await edge.ask('/empty.txt', { range: 'bytes=0-' })).status, 200)
  })

  test('is sent in part only if it has not changed', async () => {
    const tag = (await edge.ask('/about')).headers.etag ?? ''
    assert.equal((await edge.ask('/about', { range: 'bytes=0-9', 'if-range': tag })).status, 206)
    const changed = await edge.ask('/about', { range: 'bytes=0-9', 'if-range': '"another"' })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.toString(), text)
    assert.equal((await edge.ask('/about', { range: 'bytes=0-9', 'if-none-match': tag })).status, 304)
  })

  test('shows its own 404 page, never in part', async () => {
    const missing = await edge.ask('/missing')
    assert.equal(missing.status, 404)
    assert.equal(missing.body.toString(), '<h1>Gone</h1>')
    const again = { 'if-none-match': missing.headers.etag ?? '', range: 'bytes=0-1' }
    const { status, body } = await edge.ask('/missing', again)
    assert.equal(status, 404)
    assert.equal(body.toString(), '<h1>Gone</h1>')
  })

  test('shows our 404 page if it has none', async () => {
    const { status, headers, body } = await edge.ask('/missing', { host: 'plain.masthead.localhost' })
    assert.equal(status, 404)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.match(body.toString(), /This page does not exist/)
  })

  test('can be a single-page app', async () => {
    const { status, body } = await edge.ask('/users/7', { host: 'app.masthead.localhost' })
    assert.deepEqual([status, body.toString()], [200, 'app'])
  })

  test('is read-only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status, headers } = await edge.ask('/', {}, method)
      assert.equal(status, 405)
      assert.equal(headers.allow, 'GET, HEAD')
    }
  })

  test('is noindex as a preview, including redirects and 304s', async () => {
    const host = 'one--hello.masthead.localhost'
    const { headers } = await edge.ask('/about', { host })
    for (const [path, more] of [
      ['/about', {}],
      ['/about.html', {}],
      ['/missing', {}],
      ['/about', { 'if-none-match': headers.etag ?? '' }],
      ['/about', { range: 'bytes=0-1' }],
    ] as const) {
      assert.equal((await edge.ask(path, { host, ...more })).headers['x-robots-tag'], 'noindex')
    }
  })

  test('says if nothing is published yet, or nothing exists', async () => {
    const fresh = await edge.ask('/', { host: 'fresh.masthead.localhost' })
    assert.equal(fresh.status, 404)
    assert.match(fresh.body.toString(), /The project fresh exists, but nothing is live/)
    for (const [host, words] of [
      ['nobody.masthead.localhost', 'No project is published at nobody.masthead.localhost.'],
      ['www.example.com', 'No site is published at www.example.com.'],
    ] as const) {
      const unknown = await edge.ask('/', { host })
      assert.deepEqual([unknown.status, unknown.headers['x-robots-tag']], [404, 'noindex'])
      assert.ok(unknown.body.toString().includes(words))
    }
  })

  test('is served next to the dashboard, to which the platform domain redirects', async () => {
    assert.equal((await edge.ask('/v1/x?y', { host: 'localhost:8080' })).body.toString(), 'platform /v1/x?y')
    assert.equal((await edge.ask('/', { host: '127.0.0.1' })).body.toString(), 'platform /')
    const bare = await edge.ask('/', { host: 'masthead.localhost:8080' })
    assert.deepEqual([bare.status, bare.headers.location], [302, 'http://localhost:8080/'])
    assert.equal((await edge.ask('/', { host: 'not a host' })).status, 400)
  })

  const hostile = [
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/docs/..%5c..%5cabout',
    '/docs%2findex.html',
    '/about%00',
    '/%',
    '/%ff',
    '//etc/passwd',
    '/./about',
    '//evil.example/%2e%2e',
  ]

  for (const path of hostile) {
    test(`finds nothing at ${JSON.stringify(path)}`, async () => {
      const answer = await edge.exchange(
        `GET ${path} HTTP/1.1\r\nHost: hello.masthead.localhost\r\nConnection: close\r\n\r\n`,
      )
      assert.match(answer, /^HTTP\/1\.1 404 /)
      assert.ok(answer.endsWith('<h1>Gone</h1>'))
    })
  }

  test('never redirects to another host', async () => {
    const answer = await edge.exchange(
      'GET //docs?//evil.example HTTP/1.1\r\nHost: hello.masthead.localhost\r\nConnection: close\r\n\r\n',
    )
    assert.match(answer, /^HTTP\/1\.1 307 .*\r\nLocation: \/docs\/\?\/\/evil\.example\r\n/s)
  })

  test('is found with any escapes, and by an absolute target with any Host', async () => {
    for (const [target, host] of [
      ['/caf%c3%a9.txt', 'hello.masthead.localhost'],
      ['/%63afe%CC%81.txt', 'HELLO.masthead.localhost.:80'],
      ['http://hello.masthead.localhost/caf%C3%A9.txt', 'www.example.com'],
    ]) {
      const answer = await edge.exchange(
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      )
      assert.ok(answer.endsWith('\r\n\r\ncoffee'), answer)
    }
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const page = { '/index.html': 'front', '/embed/one.html': 'one', '/embed/deep/two.html': 'two' }
const embed = '/embed/one'
const vercelHeaders = (...rules: (readonly [source: string, values: Record<string, string>])[]) =>
  JSON.stringify({
    headers: rules.map(([source, values]) => ({
      source,
      headers: Object.entries(values).map(([key, value]) => ({ key, value })),
    })),
  })
const tomlHeaders = (...rules: (readonly [path: string, values: Record<string, string>])[]) =>
  rules
    .map(([path, values]) => {
      const lines = Object.entries(values).map(([name, value]) => `"${name}" = "${value}"`)
      return `[[headers]]\nfor = "${path}"\n[headers.values]\n${lines.join('\n')}\n`
    })
    .join('\n')

describe('headers of rules that overlap', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  before(async () => {
    edge = await startEdge()
  })
  after(() => edge[Symbol.asyncDispose]())

  async function headersOf(files: Record<string, string>, path = embed) {
    await edge.publish('hello', { ...page, ...files }, { encoded: true })
    edge.edge.changed({ slug: 'hello' })
    const { status, headers } = await edge.ask(path)
    assert.equal(status, 200)
    return headers
  }

  test('a later rule of vercel.json or netlify.toml replaces an earlier one of its file', async () => {
    const all = {
      'X-Frame-Options': 'DENY',
      'Access-Control-Allow-Origin': 'https://a.example',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'self'",
      'X-Robots-Tag': 'noindex',
      'X-Kept': '1',
    }
    const some = {
      'x-frame-options': 'SAMEORIGIN',
      'access-control-allow-origin': '*',
      'cache-control': 'max-age=60',
      'content-security-policy': "default-src 'none'",
      'x-robots-tag': 'nosnippet',
    }
    for (const files of [
      { '/vercel.json': vercelHeaders(['/(.*)', all], ['/embed/(.*)', some]) },
      { '/netlify.toml': tomlHeaders(['/*', all], ['/embed/*', some]) },
    ]) {
      const headers = await headersOf(files)
      for (const [name, value] of Object.entries(some)) assert.equal(headers[name], value, name)
      assert.equal(headers['x-kept'], '1')
      assert.equal((await headersOf(files, '/'))['x-frame-options'], 'DENY')
    }
  })

  test('a later rule of _headers replaces headers that have one value, and is joined to others', async () => {
    const headers = await headersOf({
      '/_headers': [
        '/*\n  X-Frame-Options: DENY\n  Referrer-Policy: no-referrer\n  X-List: a\n  Set-Cookie: a=1',
        "  Content-Security-Policy: default-src 'self'\n  Cache-Control: public, max-age=60",
        '/embed/*\n  X-Frame-Options: SAMEORIGIN\n  Referrer-Policy: no-referrer\n  X-List: b\n  Set-Cookie: b=2',
        '  Content-Security-Policy: img-src *\n  Cache-Control: max-age=5\n  Cache-Control: s-maxage=9',
        '/embed/one\n  X-List: a\n  Set-Cookie: a=1',
      ].join('\n'),
    })
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-list'], 'a, b')
    assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2'])
    assert.equal(headers['content-security-policy'], "default-src 'self', img-src *")
    assert.equal(headers['cache-control'], 'max-age=5, s-maxage=9')
  })

  test('of two files that differ, the more important one applies', async () => {
    const json = (values: Record<string, string | null>) =>
      JSON.stringify({ headers: [{ for: '/embed/*', values }] })
    const headers = await headersOf({
      '/masthead.json': json({ 'Referrer-Policy': 'origin', 'X-Gone': null }),
      '/_headers':
        '/*\n  X-Frame-Options: DENY\n  Referrer-Policy: no-referrer\n  X-Gone: 1\n  X-Same: 1\n  X-List: a',
      '/netlify.toml': tomlHeaders(['/embed/*', { 'X-Frame-Options': 'SAMEORIGIN', 'X-Same': '1' }]),
      '/vercel.json': vercelHeaders(['/embed/(.*)', { 'X-Frame-Options': 'ALLOWALL', 'X-List': 'b' }]),
    })
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'origin')
    assert.equal(headers['x-gone'], undefined)
    assert.equal(headers['x-same'], '1')
    assert.equal(headers['x-list'], 'b, a')
  })
})

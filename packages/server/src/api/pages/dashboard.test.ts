import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import Fastify from 'fastify'
import { sendProblem } from '../problem-response.ts'
import { notFound } from '../request/unmatched-requests.ts'
import { serveDashboard } from './dashboard.ts'

const script = 'console.log("the same words, again and again")\n'.repeat(50)
const sites = ['http://*.masthead.localhost:8080', 'https://*.masthead.localhost:8443']
const html = '<!doctype html><title>Masthead</title><script src="/assets/index.js"></script>'

async function dashboard() {
  const folder = await temporaryFolder('masthead-dashboard')
  await mkdir(join(folder.path, 'assets'))
  await writeFile(join(folder.path, 'index.html'), html)
  await writeFile(join(folder.path, 'assets', 'index.js'), script)
  await writeFile(join(folder.path, 'assets', 'index.js.br'), brotliCompressSync(script))
  await writeFile(join(folder.path, 'assets', 'geist.woff2'), Buffer.alloc(100, 7))
  const app = Fastify()
  app.setNotFoundHandler((request, reply) => sendProblem(notFound(request), request, reply))
  await serveDashboard(app, { folder: folder.path, sites })
  return {
    get: (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await folder.remove()
    },
  }
}

test('the page has a strict policy and is always revalidated', async () => {
  await using site = await dashboard()
  const { statusCode, headers, body } = await site.get('/')
  assert.equal(statusCode, 200)
  assert.equal(body, html)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-cache')
  const policy = String(headers['content-security-policy'])
  for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(part))
  }
  assert.ok(!policy.includes('unsafe'))
})

test('frames show sites of the platform, and nothing else', async () => {
  await using site = await dashboard()
  const policy = String((await site.get('/')).headers['content-security-policy'])
  const frames = policy.split('; ').filter((part) => /^(frame|child)-src /.test(part))
  assert.deepEqual(frames, [`frame-src ${sites.join(' ')}`])
})

test('every view has its own URL, but paths of the API or of files are not views', async () => {
  await using site = await dashboard()
  for (const view of [
    '/projects',
    '/projects/my-site/settings',
    '/join',
    '/projects/a/settings/domains/www.acme.com',
    '/sign-in?to=%2Fcli',
  ]) {
    assert.equal((await site.get(view)).body, html, view)
  }
  for (const none of ['/v1/nope', '/v1', '/v1?x=1', '/assets/gone.js', '/favicon.png', '/a/../index.htm']) {
    const { statusCode, headers } = await site.get(none)
    assert.equal(statusCode, 404, none)
    assert.match(String(headers['content-type']), /^application\/problem\+json/)
  }
})

test('a file that the browser has is not sent again', async () => {
  await using site = await dashboard()
  const { headers } = await site.get('/assets/index.js')
  const etag = String(headers.etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await site.get('/assets/index.js', { 'if-none-match': known })
    assert.equal(again.statusCode, 304, known)
    assert.equal(again.body, '')
    assert.equal(again.headers.etag, etag)
  }
  assert.equal((await site.get('/assets/index.js', { 'if-none-match': '"other"' })).statusCode, 200)
})

test('text is compressed for clients that accept it, and assets are cached for a year', async () => {
  await using site = await dashboard()
  const compressed = await site.get('/assets/index.js', { 'accept-encoding': 'gzip, deflate, br' })
  assert.equal(compressed.headers['content-encoding'], 'br')
  assert.equal(compressed.headers.vary, 'Accept-Encoding')
  assert.equal(brotliDecompressSync(compressed.rawPayload).toString(), script)
  assert.equal(compressed.headers['cache-control'], 'public, max-age=31536000, immutable')
  const refused = await site.get('/assets/index.js', { 'accept-encoding': 'br;q=0, gzip;q=0' })
  assert.equal(refused.headers['content-encoding'], undefined)
  assert.equal(refused.body, script)
  const font = await site.get('/assets/geist.woff2', { 'accept-encoding': 'br' })
  assert.equal(font.headers['content-encoding'], undefined)
  assert.equal(font.headers['content-type'], 'font/woff2')
})

test('if it was not built, the start page says so', async () => {
  const app = Fastify()
  await serveDashboard(app, { folder: null, sites })
  const { statusCode, body } = await app.inject('/')
  assert.equal(statusCode, 200)
  assert.match(body, /not built/)
  await app.close()
})

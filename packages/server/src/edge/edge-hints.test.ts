import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { requirePeer } from '@masthead/testing/peers/peers.ts'
import { siteName, startHttps } from './https.test-kit.ts'

const style = '</style.css>; rel=preload; as=style'
const font = '<https://fonts.example>; rel=preconnect'
const rules = `/*
  Link: ${style}
  Link: </next>; rel=next
  Content-Security-Policy: style-src 'self'
/docs/*
  Link: ${font}
/members/*
  Cache-Control: private
/plain/*
  ! Link
`
const files = {
  '/index.html': 'front',
  '/docs/index.html': 'docs',
  '/members/index.html': 'members',
  '/plain/index.html': 'plain',
  '/style.css': 'p {}',
  '/404.html': 'gone',
  '/.well-known/acme-challenge/token': 'mine',
  '/_headers': rules,
  '/_redirects': '/old / 301',
}

describe('links from rules as 103 Early Hints', () => {
  let https: Awaited<ReturnType<typeof startHttps>>
  let session: ClientHttp2Session

  before(async () => {
    https = await startHttps()
    await https.certify(siteName, 'other.masthead.localhost')
    await https.publish('hello', files, { encoded: true, hstsMaxAge: 60 })
    await https.publish('other', { '/index.html': 'other' })
    session = https.openSession()
  })
  after(() => https[Symbol.asyncDispose]())

  /** The hints, or null, and what the answer itself says. */
  async function visit(path: string, fields: Record<string, string> = {}, on = session) {
    const stream = on.request({ ':path': path, 'sec-fetch-mode': 'navigate', ...fields })
    const early: IncomingHttpHeaders[] = []
    stream.on('headers', (headers) => void early.push(headers))
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    const body = (await buffer(stream)).toString()
    assert.ok(early.length < 2)
    const [hints = null] = early
    if (hints !== null) assert.equal(hints[':status'], 103)
    return { hints, status: Number(answer[':status']), etag: String(answer.etag), link: answer.link, body }
  }

  test('come before a page, cold and warm, with its policy and without other links', async () => {
    for (const times of [1, 2]) {
      const { hints, status, link, body } = await visit('/')
      assert.deepEqual([status, link, body], [200, `${style}, </next>; rel=next`, 'front'], `${times}`)
      const sent = Object.entries(hints ?? {})
      assert.deepEqual(sent.map(String), [
        ':status,103',
        `link,${style}`,
        "content-security-policy,style-src 'self'",
      ])
    }
    assert.equal((await visit('/docs/')).hints?.link, `${style}, ${font}`)
  })

  test('do not come with any other answer', async () => {
    const { etag } = await visit('/')
    for (const [path, fields, expected] of [
      ['/', { 'sec-fetch-mode': 'cors' }, 200],
      ['/', { 'sec-fetch-dest': 'iframe' }, 200],
      ['/', { 'if-none-match': etag }, 304],
      ['/', { range: 'bytes=0-1' }, 206],
      ['/', { ':method': 'HEAD' }, 200],
      ['/', { ':method': 'POST' }, 405],
      ['/style.css', {}, 200],
      ['/members/', {}, 200],
      ['/plain/', {}, 200],
      ['/old', {}, 301],
      ['/docs', {}, 307],
      ['/missing', {}, 404],
      ['/.well-known/acme-challenge/token', {}, 404],
    ] as const) {
      const { hints, status } = await visit(path, fields)
      assert.deepEqual([hints, status], [null, expected], `${path} ${JSON.stringify(fields)}`)
    }
    const other = https.openSession('other.masthead.localhost')
    assert.equal((await visit('/', {}, other)).hints, null)
  })

  test('reach curl over HTTP/2, and never over HTTP/1.1', async () => {
    const statuses = async (version: string) => {
      const origin = `${siteName}:${https.port}`
      const { stdout } = await promisify(execFile)(requirePeer('curl'), [
        ...['-sS', '-i', version, '--cacert', https.rootFile, '--resolve', `${origin}:127.0.0.1`],
        ...['-H', 'Sec-Fetch-Mode: navigate', `https://${origin}/`],
      ])
      return stdout.match(/^HTTP\/\S+ \d+/gm)
    }
    assert.deepEqual(await statuses('--http2'), ['HTTP/2 103', 'HTTP/2 200'])
    assert.deepEqual(await statuses('--http1.1'), ['HTTP/1.1 200'])
  })
})

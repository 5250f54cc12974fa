import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { newVisitor, Passes } from '../protection/passes.ts'
import { credentialId, type SiteProtection } from '../protection/protection.ts'
import { askStream, siteName, startHttps } from './https.test-kit.ts'

const hash = 'argon2id$1$1$1$c2FsdA==$dGFn'
const protection: SiteProtection = { scope: 'paths', paths: ['/staff'], note: '', hash }
const pass = new Passes(Buffer.alloc(32, 7)).sign('pass', {
  ...{ host: siteName, projectId: 'prj_hello', credentials: [credentialId(hash)] },
  ...{ visitor: newVisitor(), expiresAt: Date.now() + 600_000 },
})
const files = {
  '/index.html': 'open',
  '/open.js': 'open',
  '/staff/data.js': 'for the staff',
  '/staff/logo.svg': '<svg/>',
  '/staff/404.html': 'not here',
  '/_headers': '/staff/logo.svg\n  cross-origin-resource-policy: cross-origin\n',
  '/_redirects': '/staff/old /staff/new 301\n',
}

interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
}
type Ask = (path: string, headers: Record<string, string>, method?: string) => Promise<Seen>

/** Sites of others share the platform domain: browsers send a pass along with what their pages load. */
describe('pages of another site', () => {
  let edge: Awaited<ReturnType<typeof startHttps>>
  const wires: [name: string, ask: Ask, cookie: string][] = []
  before(async () => {
    edge = await startHttps()
    await edge.publish('hello', files, { protection })
    await edge.certify(siteName)
    const session = edge.openSession(siteName)
    wires.push(
      ['plain HTTP', (path, headers, method) => edge.ask(path, headers, method), 'masthead-pass'],
      ['HTTP/1.1', overHttp1, '__Host-masthead-pass'],
      [
        'HTTP/2',
        (path, headers, method = 'GET') =>
          askStream(session, path, { ':method': method, ':authority': siteName, ...headers }),
        '__Host-masthead-pass',
      ],
    )
  })
  after(() => edge[Symbol.asyncDispose]())

  async function overHttp1(path: string, headers: Record<string, string>, method = 'GET'): Promise<Seen> {
    const fields = Object.entries({ host: siteName, ...headers, connection: 'close' })
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const answer = await edge.exchange(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`)
    const [first = '', ...rest] = (answer.split('\r\n\r\n')[0] ?? '').split('\r\n')
    const sent = rest
      .map((line) => line.split(/: (.*)/s))
      .map(([name = '', value]) => [name.toLowerCase(), value])
    return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(sent) }
  }

  test('cannot load what needs a pass, unless a rule of the site allows it', async () => {
    for (const [wire, ask, name] of wires) {
      const inside = { cookie: `${name}=${pass}` }
      const policy = async (path: string, more: Record<string, string> = {}, method = 'GET') => {
        const { status, headers } = await ask(path, { ...inside, ...more }, method)
        return [status, headers['cross-origin-resource-policy']]
      }
      const { etag } = (await ask('/staff/data.js', inside)).headers
      assert.deepEqual(await policy('/staff/data.js'), [200, 'same-origin'], wire)
      assert.deepEqual(await policy('/staff/data.js', {}, 'HEAD'), [200, 'same-origin'], wire)
      assert.deepEqual(await policy('/staff/data.js', { range: 'bytes=0-2' }), [206, 'same-origin'], wire)
      assert.deepEqual(
        await policy('/staff/data.js', { 'if-none-match': String(etag) }),
        [304, 'same-origin'],
        wire,
      )
      assert.deepEqual(await policy('/staff/none'), [404, 'same-origin'], wire)
      assert.deepEqual(await policy('/staff/old'), [301, 'same-origin'], wire)
      assert.deepEqual(await policy('/staff/logo.svg'), [200, 'cross-origin'], wire)
      assert.deepEqual(await policy('/open.js'), [200, undefined], wire)
    }
  })

  test('can neither plant a pass nor hide one in a cookie for the whole platform', async () => {
    for (const [wire, ask, name] of wires) {
      const status = async (cookie: string) => (await ask('/staff/data.js', { cookie })).status
      assert.equal(await status(`theme=1; ${name}=${pass}`), 200, wire)
      assert.equal(await status(`theme=1;${name}=${pass}`), 200, wire)
      for (const separator of [',', ', ']) {
        assert.equal(await status(`theme=1${separator}${name}=${pass}`), 401, wire)
        const planted = ['1', ...['a', 'b', 'c'].map((value) => `${name}=${value}`)].join(separator)
        assert.equal(await status(`theme=${planted}; ${name}=${pass}`), 200, wire)
      }
    }
  })

  test('leave alone the pass of a browser or proxy that sends each cookie on its own', async () => {
    const lines = ['a=1', `__Host-masthead-pass=${pass}`, 'b=2'].map((one) => `Cookie: ${one}\r\n`).join('')
    const head = `GET /staff/data.js HTTP/1.1\r\nHost: ${siteName}\r\nConnection: close\r\n`
    assert.match(await edge.exchange(`${head}${lines}\r\n`), /^HTTP\/1\.1 200 /)
    const cookie = ['a=1', `__Host-masthead-pass=${pass}`, 'b=2']
    const stream = edge.openSession(siteName).request({ ':path': '/staff/data.js', cookie })
    const [answer] = await once(stream, 'response')
    assert.equal(answer[':status'], 200)
  })

  test('keep their cookies, whatever a rule of this site says', async () => {
    const rules = [
      '/\n  Clear-Site-Data: "cache", "cookies", "storage"',
      '  Set-Cookie: a=1; Domain=masthead.localhost; Path=/',
      '  Set-Cookie: b=2; Path=/; domain = .MASTHEAD.localhost',
      '  Set-Cookie: c=3; Domain=%6dasthead.localhost',
      '  Set-Cookie: d=4; Domain=localhost; Secure',
      '  Set-Cookie: e=5; Domain=tossing.masthead.localhost',
      '  Set-Cookie: f=6; Domain=acme.com',
      '/all\n  Clear-Site-Data: "*"',
      '/to/:domain/:what\n  Set-Cookie: a=1; Domain=:domain\n  Clear-Site-Data: ":what"',
    ]
    const pages = { '/index.html': 'front', '/all.html': 'all', '/to/masthead.localhost/cookies.html': 'to' }
    await edge.publish('tossing', { ...pages, '/_headers': rules.join('\n') })
    edge.routes.set('acme.com', { kind: 'site', slug: 'tossing' })
    const cookies = ['a=1; Path=/', 'b=2; Path=/', 'c=3', 'd=4; Secure']
    const own = ['e=5; Domain=tossing.masthead.localhost', 'f=6; Domain=acme.com']
    // In turns, so that neither gets what was kept for the other.
    for (const host of ['acme.com', 'tossing.masthead.localhost', 'acme.com', 'TOSSING.masthead.localhost']) {
      const sent = async (path: string) => (await edge.ask(path, { host })).headers
      const isOwn = host === 'acme.com'
      const { 'clear-site-data': cleared, 'set-cookie': set } = await sent('/')
      assert.equal(cleared, isOwn ? '"cache", "cookies", "storage"' : '"cache", "storage"', host)
      assert.deepEqual(set, [...cookies, ...own], host)
      assert.equal((await sent('/all'))['clear-site-data'], isOwn ? '"*"' : undefined, host)
      const filled = await sent('/to/masthead.localhost/cookies')
      assert.equal(filled['clear-site-data'], isOwn ? '"cookies"' : undefined, host)
      assert.deepEqual(filled['set-cookie'], ['a=1'], host)
    }
  })
})

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { preface } from './http2/frames/protocol.ts'
import { type Fields, headers as headersFrame, settings, WireClient } from './http2/wire.test-kit.ts'
import { startHttps } from './https.test-kit.ts'

const redirects = `
/view/*       /index.html 200
/show/*       /pages/:splat 200
/old/*        https://new.example.com/:splat 301
/old-docs/*   /docs/:splat 302
/top*         /:splat 302
/item/:id     /product/:id 302
/find/*       /search?q=:splat#:splat 302
/self/*       /self/:splat 302
/force/*      /forced/:splat 302!
`
const headers = `
/admin/*
  X-Frame-Options: DENY
/view/:name
  X-View: :name
`
const protection = {
  scope: 'paths' as const,
  paths: ['/members'],
  note: '',
  hash: 'argon2id$1$1$1$c2FsdA==$dGFn',
}
const pages = {
  '/index.html': 'app',
  '/404.html': 'missing',
  '/a/b.html': 'file',
  '/pages/a%2Fb.html': 'odd',
}
const labels = ['app', 'ruled', 'some', 'shut', 'open']

describe('a path with escapes that no file name has', () => {
  let edge: Awaited<ReturnType<typeof startHttps>>
  const clients = new Map<string, { client: WireClient; streams: number }>()
  const hostOf = (label: string) => `${label}.masthead.localhost`

  before(async () => {
    edge = await startHttps()
    const rules = { '/_redirects': redirects, '/_headers': headers }
    await edge.publish('app', pages, { singlePage: true })
    await edge.publish('ruled', { ...pages, ...rules })
    await edge.publish('some', { ...pages, ...rules }, { singlePage: true, protection })
    const moved = { '/index.html': 'app', '/_redirects': '/* https://new.example.com/:splat 301' }
    await edge.publish('shut', moved, { protection: { ...protection, scope: 'site', paths: [] } })
    await edge.publish('open', moved, {
      protect: [{ line: 1, from: '/members/*', credentials: [{ user: 'mia', hash: protection.hash }] }],
    })
    await edge.certify(...labels.map(hostOf))
    for (const label of labels) {
      const client = new WireClient(await edge.dial(hostOf(label), { ALPNProtocols: ['h2'] }))
      client.send(preface, settings())
      clients.set(label, { client, streams: 0 })
    }
  })
  after(async () => {
    for (const { client } of clients.values()) client.socket.destroy()
    await edge[Symbol.asyncDispose]()
  })

  const navigation = { 'sec-fetch-dest': 'document' }

  async function exchange(bytes: string): Promise<string> {
    const socket = connect(edge.plainPort, '127.0.0.1')
    socket.write(bytes, 'latin1')
    return (await buffer(socket)).toString('latin1')
  }

  /** The answer to these bytes, which is the same over HTTP/1.1 and HTTP/2. */
  async function ask(label: string, path: string, fields: Record<string, string> = navigation) {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = `GET ${path} HTTP/1.1\r\nHost: ${hostOf(label)}\r\nConnection: close\r\n${lines.join('')}\r\n`
    const answer = await exchange(request)
    const end = answer.indexOf('\r\n\r\n')
    const field = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(answer.slice(0, end + 2))?.[1]
    const names = ['location', 'x-frame-options', 'x-view']
    const first = {
      status: Number(answer.split(' ')[1]),
      ...Object.fromEntries(names.map((name) => [name, field(name)])),
      body: answer.slice(end + 4),
    }
    const open = clients.get(label) ?? assert.fail(label)
    const stream = 2 * open.streams++ + 1
    const pseudo: Fields = [
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', path],
      [':authority', hostOf(label)],
    ]
    open.client.send(headersFrame(stream, { fields: [...pseudo, ...Object.entries(fields)] }))
    const { status, headers, body } = await open.client.answer(stream)
    const second = {
      status,
      ...Object.fromEntries(names.map((name) => [name, headers[name]])),
      body: body.toString('latin1'),
    }
    if (status !== 401) assert.deepEqual(second, first, `${label} ${path}`)
    assert.equal(second.status, first.status, `${label} ${path}`)
    return second as {
      status: number
      location?: string
      body: string
      'x-view'?: string
      'x-frame-options'?: string
    }
  }

  const seen = async (label: string, path: string, fields?: Record<string, string>) => {
    const { status, location, body } = await ask(label, path, fields)
    return status === 401 ? '401' : `${status} ${location ?? body}`
  }

  const odd = [
    'a%2Fb',
    'a%2fb',
    'a%5Cb',
    'a\\b',
    'caf%e9',
    'caf\xe9',
    '%c0%af',
    '100%',
    '%zz',
    'a%00b',
    '%2F%2Fx',
  ]

  test('is a view of a single-page app', async () => {
    for (const name of odd) {
      assert.equal(await seen('app', `/files/${name}`), '200 app', name)
      assert.equal(await seen('ruled', `/view/${name}`), '200 app', name)
      assert.equal(await seen('app', `/files/${name}`, { accept: 'application/json' }), '404 missing', name)
      assert.equal(await seen('ruled', `/elsewhere/${name}`), '404 missing', name)
    }
    assert.equal(await seen('app', '/caf%e9'), '200 app')
    assert.equal((await ask('ruled', '/view/a%2Fb%E9%C3%A9'))['x-view'], 'a%2Fb%E9%C3%A9')
  })

  test('is no file, no file of a page, and leaves no folder', async () => {
    for (const path of [
      ...[
        '/files/%2e%2e/x',
        '/files/..%2Fx',
        '/files%2F..%2Fx',
        '/files/%2e%2e%5cx',
        '/files/./x',
        '/..%2f..%2fetc',
      ],
      ...['/a%2Fmain.js', '/.well-known%2Fx', '/.well-known%5Cacme-challenge%2Ftoken', '/%2ewell-known%2fx'],
    ]) {
      assert.equal(await seen('app', path), '404 missing', path)
    }
    assert.equal(await seen('app', '/a%2Fb'), '200 app')
    assert.equal(await seen('ruled', '/a%2Fb'), '404 missing')
    assert.equal(await seen('ruled', '/show/a%2Fb'), '404 missing')
    assert.equal(await seen('ruled', '/show/a%252Fb'), '200 odd')
  })

  test('keeps its escapes in a redirect', async () => {
    for (const [path, expected] of [
      ['/old/a%2Fb', 'https://new.example.com/a%2Fb'],
      ['/old/a%2fb%5c?x=%2f', 'https://new.example.com/a%2Fb%5C?x=%2f'],
      ['/old/%2Fetc', 'https://new.example.com/%2Fetc'],
      ['/old/caf%e9/caf\xe9/caf%c3%a9', 'https://new.example.com/caf%E9/caf%E9/caf%C3%A9'],
      ['/old/a%252Fb', 'https://new.example.com/a%252Fb'],
      ['/old/a\\b', 'https://new.example.com/a%5Cb'],
      ['/old/100%', 'https://new.example.com/100%25'],
      ['/old/a%00b', 'https://new.example.com/a%00b'],
      ['/item/a%2Fb', '/product/a%2Fb'],
      ['/force/a%2Fb', '/forced/a%2Fb'],
      ['/find/a%2Fb', '/search?q=a%2Fb#a%2Fb'],
      ['/old-docs/a%2F%2Fb', '/docs/a%2F%2Fb'],
    ] as const) {
      const { status, location } = await ask('ruled', path)
      assert.ok(status === 301 || status === 302, path)
      assert.equal(location, expected, path)
    }
    assert.equal(await seen('ruled', '/self/a%2Fb'), '404 missing')
    assert.equal(await seen('ruled', '/old%2Fa'), '404 missing')
  })

  test('never leads to another host', async () => {
    const starts = [
      '%2F',
      '%2f',
      '%5C',
      '%5c',
      '\\',
      '%09%2F',
      '%20%5c',
      '%0a%2f',
      '%00%2F',
      '/%2f',
      '/\\',
      '%E3%80%80%2F',
    ]
    for (const start of starts) {
      for (const next of ['', '/', '%2f', '%5c', '%09/', '\\']) {
        const end = `${start}${next}evil.example`
        for (const path of [`/old-docs/${end}`, `/top${end}`, `/top/${end}`, `/item/${end}`]) {
          const { status, location } = await ask('ruled', path)
          if (location === undefined) assert.equal(status, 404, path)
          else assert.equal(new URL(location, 'https://site.example/').host, 'site.example', path)
          if (path.startsWith('/old-docs')) assert.equal(status, 404, path)
        }
      }
    }
    assert.equal(await seen('ruled', '/old-docs//evil.example'), '302 /docs/evil.example')
    assert.equal(await seen('ruled', '/top//evil.example'), '302 /evil.example')
    assert.equal(await seen('ruled', '/top%09/evil.example'), '302 /%09/evil.example')
  })

  test('gets the headers for the path that an app may read it as', async () => {
    for (const path of [
      '/admin/a%2Fb',
      '/admin%2Fx',
      '/admin%5Cx',
      '/%61dmin%2fx',
      '//admin%2F',
      '/admin\\x',
    ]) {
      const { status, 'x-frame-options': frames } = await ask('ruled', path)
      assert.deepEqual([status, frames], [404, 'DENY'], path)
    }
    assert.equal((await ask('ruled', '/administrator%2Fx'))['x-frame-options'], undefined)
  })

  test('needs the password of the path that an app may read it as', async () => {
    const inside = [
      '/members/a%2Fb',
      '/members%2Fx',
      '/members%5cx',
      '/%6dembers%2Fx',
      '//members%2Fx',
      '/members\\x',
    ]
    for (const path of [...inside, '/members/%e9', '/members%2F', '/members/100%', '/members//%2F']) {
      assert.equal(await seen('some', path), '401', path)
      assert.equal(await seen('open', path), '401', path)
      assert.equal(await seen('shut', path), '401', path)
    }
    for (const name of odd) assert.equal(await seen('shut', `/x/${name}`), '401', name)
    assert.equal(await seen('some', '/membership%2Fx'), '200 app')
    assert.equal(await seen('open', '/guests/a%2Fb'), '301 https://new.example.com/guests/a%2Fb')
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newVisitor, Passes } from '../protection/passes.ts'
import { credentialId } from '../protection/protection.ts'
import { startEdge } from './edge.test-kit.ts'

const page = { '/index.html': 'front' }
const commands = [
  ['X-Accel-Redirect', '/private/dump.sql'],
  ['x-accel-expires', '3600'],
  ['X-Sendfile', '/etc/passwd'],
  ['X-Lighttpd-Send-File', '/etc/passwd'],
  ['X-LiteSpeed-Location', '/private/'],
  ['X-Reproxy-URL', 'http://127.0.0.1/'],
  ['X-Envoy-Immediate-Health-Check-Fail', '1'],
] as const
const text = commands.map(([name, value]) => `  ${name}: ${value}\n`).join('')

test('no rule sends a header that a proxy in front of the server obeys', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { ...page, '/_headers': `/*\n  X-A: 1\n${text}` })
  const earlier = await edge.publish('earlier', { ...page, '/_headers': '/*\n  X-A: 1' })
  // As a version that did not refuse them stored it.
  const set = [['X-A', '1'], ...commands] as const
  earlier.rules = { redirects: [], headers: [{ line: 1, from: '/*', unset: [], set }] }
  for (const host of ['hello.masthead.localhost', 'earlier.masthead.localhost']) {
    const { status, headers } = await edge.ask('/', { host })
    assert.deepEqual([status, headers['x-a']], [200, '1'], host)
    for (const [name] of commands) assert.equal(headers[name.toLowerCase()], undefined, `${host} ${name}`)
  }
})

test('no rule lets a CDN keep what needs a password', async () => {
  await using edge = await startEdge()
  const hash = 'argon2id$1$1$1$c2FsdA==$dGFn'
  const lines = ['Edge-Control: !no-store, max-age=1d', 'CDN-Cache-Control: max-age=60', 'Expires: 0']
  await edge.publish(
    'hello',
    { ...page, '/_headers': `/*\n  ${lines.join('\n  ')}` },
    { protection: { scope: 'site', paths: [], note: '', hash } },
  )
  const host = 'hello.masthead.localhost'
  const pass = new Passes(Buffer.alloc(32, 7)).sign('pass', {
    ...{ host, projectId: 'prj_hello', credentials: [credentialId(hash)] },
    ...{ visitor: newVisitor(), expiresAt: Date.now() + 60_000 },
  })
  const { status, headers } = await edge.ask('/', { cookie: `masthead-pass=${pass}` })
  assert.deepEqual([status, headers['cache-control']], [200, 'private, no-cache'])
  for (const line of lines) assert.equal(headers[line.split(':')[0]?.toLowerCase() ?? ''], undefined, line)
})

test('a missing path is not kept by a CDN because of a rule for files', async () => {
  await using edge = await startEdge()
  const headers = '/*\n  Edge-Control: !no-store, max-age=1d\n/never/*\n  Edge-Control: no-store'
  await edge.publish('hello', { ...page, '/404.html': 'missing', '/_headers': headers })
  const sent = async (path: string) => (await edge.ask(path)).headers['edge-control']
  assert.equal(await sent('/'), '!no-store, max-age=1d')
  assert.equal(await sent('/none'), undefined)
  assert.equal(await sent('/never/none'), 'no-store')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import type { Reply } from '../assets/reply.ts'
import { readRequestTarget } from '../assets/request-path.ts'
import { redirectToHost } from './host-redirect.ts'

const origin = 'http://www.acme.com:8080'
const answer = (target: string, method = 'GET', status: 301 | 302 | 307 | 308 = 301): Reply =>
  redirectToHost({ status }, origin, method, readRequestTarget(target))

function header(reply: Reply, name: string): string | undefined {
  const at = reply.headers.indexOf(name)
  return at === -1 ? undefined : reply.headers[at + 1]
}

const targets: [target: string, path: string][] = [
  ['/', '/'],
  ['/a/b?c=d&e', '/a/b?c=d&e'],
  ['/a?', '/a?'],
  ['/a//b/../%2e%2E/%zz?x=%0a#y', '/a//b/../%2e%2E/%zz?x=%0a#y'],
  ['//evil.example/x', '//evil.example/x'],
  ['/\\evil.example', '/\\evil.example'],
  ['/caf\xe9', '/caf%E9'],
  ['http://acme.com/a?b', '/a?b'],
  ['http://acme.com', '/'],
  ['http://acme.com?b', '/?b'],
  ['http://acme.com//evil.example', '//evil.example'],
  ['*', '/'],
  ['@evil.example/', '/'],
  ['.evil.example', '/'],
  ['', '/'],
  ['/a\r\nSet-Cookie: b', '/a%0D%0ASet-Cookie:%20b'],
]

for (const [target, path] of targets) {
  test(`the target ${JSON.stringify(target)} redirects to the same path`, () => {
    assert.equal(header(answer(target), 'Location'), origin + path)
  })
}

test('redirects are not cached, and have no body', () => {
  for (const status of [301, 302, 307, 308] as const) {
    const reply = answer('/', 'GET', status)
    assert.deepEqual([reply.status, header(reply, 'Cache-Control')], [status, 'max-age=0, must-revalidate'])
    assert.deepEqual([header(reply, 'Content-Length'), reply.body.kind], ['0', 'none'])
  }
})

test('every method is redirected, and a connection with an unread body is closed', () => {
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
    const reply = answer('/form', method)
    assert.equal(header(reply, 'Location'), `${origin}/form`)
    assert.equal(header(reply, 'Connection'), /GET|HEAD/.test(method) ? undefined : 'close')
  }
})

test('a challenge is not redirected', () => {
  assert.equal(answer('/.well-known/acme-challenge/token').status, 404)
  assert.equal(answer('/.well-known/acme-challenge/token', 'HEAD').body.kind, 'none')
  assert.equal(answer('/.well-known/security.txt').status, 301)
})

test('no target redirects to another origin or breaks out of its header', () => {
  const hostile = fc.constantFrom(
    '/',
    '\\',
    '@',
    ':',
    '.',
    '?',
    '#',
    '%',
    '\r\n',
    '\0',
    '\t',
    ' ',
    'evil.example',
  )
  const text = fc.string({
    unit: fc.oneof(hostile, fc.string({ unit: anyCharacter, maxLength: 3 })),
    maxLength: 12,
  })
  const prefix = fc.constantFrom('', '/', '//', 'http://acme.com', 'https://acme.com/')
  fc.assert(
    fc.property(prefix, text, (start, rest) => {
      const location = header(answer(start + rest), 'Location')
      if (location === undefined) return
      assert.equal(new URL(location).origin, origin)
      assert.ok(location.startsWith(`${origin}/`))
      assert.match(location, /^[!-~]+$/)
    }),
    { numRuns: 2000 },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { HeaderMatcher } from './match-headers.ts'
import { RedirectMatcher } from './match-redirects.ts'
import { parseHeaders } from './sources/parse-headers.test-kit.ts'
import { parseRedirects } from './sources/parse-redirects.test-kit.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const hostile = [
  ...[
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/%2F/evil.example',
    '@evil.example',
    '.evil.example',
  ],
  ...[
    '\r\nLocation: https://evil.example',
    '\t//evil.example',
    ' //evil.example',
    ':80@evil.example',
    '?//evil.example',
  ],
  ...[
    '#@evil.example',
    'https://evil.example',
    '/https://evil.example',
    'javascript:alert(1)',
    '',
    '/',
    '..',
    '../..',
  ],
  ...[
    '\u2028//evil.example',
    '\ufeff//evil.example',
    '\u0000',
    'é',
    '\ud800',
    '%',
    '%2f%2fevil.example',
    'a/b/c',
    ':splat',
  ],
  // Escaped bytes of the request.
  ...[
    '\udc2f\udc2fevil.example',
    '\udc5cevil.example',
    '\t\udc2f/evil.example',
    'a\udc2fb',
    '\udcff',
    '\udc00',
  ],
]

const targets = [
  ...[
    '/:splat',
    '/a:splat',
    '/:splat/:x',
    '/:x:splat',
    '/x?to=:splat',
    '/x?:splat=1',
    '/x#:splat',
    '/:splat?:x#:x',
  ],
  ...[
    'https://good.example/:splat',
    'https://good.example:8443/:x',
    'http://good.example?q=:splat',
    'https://good.example#:x',
  ],
  ...['https://good.example/:splat/:x', '/:x', '/.:splat', '/:splat//:x'],
]

test('nothing that a visitor sends can change the host of a redirect, or end its header', () => {
  const random = createRandom(16)
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  let redirects = 0
  for (const to of targets) {
    const sources = ['/go*', '/go/*', '/*', '/:x/*', '/go/*/:x', '/go x=:x', '/go/:x', '/go/* x=:x']
    for (const from of sources) {
      const { rules } = parseRedirects(bytes(`${from} ${to} 302`))
      const matcher = new RedirectMatcher(rules)
      for (let times = 0; times < 60; times++) {
        const path = `/go${pick(['', '/'])}${pick(hostile)}${pick(['', '/', pick(hostile)])}`
        const query = pick([
          '',
          `?x=${encodeURIComponent(pick(hostile).toWellFormed())}`,
          `?${pick(hostile)}`,
        ])
        const match = matcher.match({ path, hostname: 'site.example', query, acceptLanguage: undefined })
        if (match?.answer?.kind !== 'redirect') continue
        const { location } = match.answer
        redirects++
        const label = JSON.stringify({ from, to, path, query, location })
        assert.match(location, /^[!-~]+$/, label)
        const expected = to.startsWith('http') ? 'good.example' : 'site.example'
        for (const base of ['https://site.example/a/b', 'http://site.example/']) {
          assert.equal(new URL(location, base).hostname, expected, label)
        }
      }
    }
  }
  assert.ok(redirects > 1_000, `${redirects} redirects`)
})

test('no bytes break the parsers, and what they accept can be served', () => {
  const random = createRandom(4)
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const words = [
    ...[
      '/',
      '/a',
      '/a/*',
      '/:x',
      '*',
      ':',
      '!',
      '#',
      '=',
      '?',
      '%',
      '%41',
      '%zz',
      '\\',
      'https://',
      'https://a.example',
    ],
    ...[
      '301',
      '200',
      '404!',
      'Language=de',
      'x=:y',
      ' ',
      '  ',
      '\t',
      '\n',
      '\r\n',
      '\u0000',
      '\ufeff',
      'é',
      '😀',
      '\ud800',
    ],
    ...['X-A: 1', '! X-A', 'Set-Cookie: a=b', ': ', '/index.html', '\u0085', '\u2028', '[', '{', '(a+)+$'],
  ]
  for (let times = 0; times < 5_000; times++) {
    const text = Array.from({ length: random(30) }, () => pick(words)).join('')
    const content = random(4) === 0 ? Uint8Array.from({ length: 60 }, () => random(256)) : bytes(text)
    const redirects = parseRedirects(content)
    const headers = parseHeaders(content)
    for (const { line, message } of [...redirects.findings, ...headers.findings]) {
      assert.ok(message.length < 400 && (line === null || line > 0))
    }
    const matcher = new RedirectMatcher(redirects.rules)
    assert.equal(matcher.size, redirects.rules.length)
    const headerMatcher = new HeaderMatcher(headers.rules)
    for (const path of ['/', '/a', '/a/b', `/${pick(words)}`]) {
      const answer = matcher.match({
        path,
        hostname: 'a.example',
        query: '?x=1',
        acceptLanguage: 'de',
      })?.answer
      if (answer?.kind === 'redirect') assert.match(answer.location, /^[!-~]+$/)
      for (const { name, values } of headerMatcher.changesFor([path], 'a.example')?.set.values() ?? []) {
        assert.match(name, /^[!-~]+$/)
        for (const value of values) assert.match(value, /^[\t -~]+$/)
      }
    }
  }
})

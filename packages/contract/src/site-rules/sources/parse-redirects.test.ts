import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ruleLimits } from '../rules.ts'
import { parseRedirects } from './parse-redirects.test-kit.ts'

const parse = (text: string | Uint8Array) =>
  parseRedirects(typeof text === 'string' ? new TextEncoder().encode(text) : text)

test('a line that can be used becomes a rule', () => {
  for (const [line, rule] of [
    ['/home /', { from: '/home', to: '/', status: 301 }],
    ['/home\t/\t302', { from: '/home', to: '/', status: 302 }],
    ['  /home   /   308  ', { from: '/home', to: '/', status: 308 }],
    ['/home / 303 # moved', { from: '/home', to: '/', status: 303 }],
    ['/home / 307!', { from: '/home', to: '/', status: 307, force: true }],
    ['/* /index.html 200', { from: '/*', to: '/index.html', status: 200 }],
    ['/en/* /en/404.html 404', { from: '/en/*', to: '/en/404.html', status: 404 }],
    ['/twitch https://twitch.tv', { from: '/twitch', to: 'https://twitch.tv', status: 301 }],
    ['/page/ /page2/#fragment 301', { from: '/page/', to: '/page2/#fragment', status: 301 }],
    ['/store id=:id /blog/:id 301', { from: '/store', query: [['id', ':id']], to: '/blog/:id', status: 301 }],
    [
      '/a x=1 y= /b',
      {
        from: '/a',
        query: [
          ['x', '1'],
          ['y', ''],
        ],
        to: '/b',
        status: 301,
      },
    ],
    ['/ /de 302 Language=de,AT', { from: '/', languages: ['de', 'at'], to: '/de', status: 302 }],
    ['/ /de Language=de', { from: '/', languages: ['de'], to: '/de', status: 301 }],
    [
      'https://a.example/* /:splat 301!',
      { from: 'https://a.example/*', to: '/:splat', status: 301, force: true },
    ],
    ['/c%23 /c', { from: '/c%23', to: '/c', status: 301 }],
    ['/c%C3%A9line /über', { from: '/c%C3%A9line', to: '/über', status: 301 }],
  ] as const) {
    assert.deepEqual(parse(line), { rules: [{ line: 1, ...rule }], findings: [], excess: null }, line)
  }
})

test('a condition on the country is read on servers that know it', () => {
  const read = (line: string) => parseRedirects(new TextEncoder().encode(line), 'known')
  for (const [line, rule] of [
    ['/ /anz 302 Country=au,NZ', { from: '/', countries: ['au', 'nz'], to: '/anz', status: 302 }],
    ['/ /t country=T1', { from: '/', countries: ['t1'], to: '/t', status: 301 }],
    [
      '/ /il 302! Country=il Language=he',
      { from: '/', countries: ['il'], languages: ['he'], to: '/il', status: 302, force: true },
    ],
  ] as const) {
    assert.deepEqual(read(line), { rules: [{ line: 1, ...rule }], findings: [], excess: null }, line)
  }
  for (const line of [
    '/ /a Country=',
    '/ /a Country=,',
    '/ /a Country=Austria',
    '/ /a Country=a',
    '/ /a Country=at,d-',
  ]) {
    const { rules, findings } = read(line)
    assert.deepEqual(rules, [], line)
    assert.match(findings[0]?.message ?? '', /codes of two letters/, line)
  }
  const unsure = parseRedirects(new TextEncoder().encode('/ /a Country=at'), 'unknown')
  assert.equal(unsure.rules.length, 1)
  assert.deepEqual([unsure.findings[0]?.level, unsure.findings.length], ['warning', 1])
})

test('a line that cannot be used is reported with its number and a reason, and the others are used', () => {
  for (const [line, reason] of [
    ['/home', /no target/],
    ['/home somewhere', /no target/],
    ['home /', /starts with a slash/],
    ['/home?id=1 /', /no query/],
    ['/home id /', /neither a target nor a condition/],
    ['/home =1 /', /neither a target nor a condition/],
    ['/home //evil.example', /starts with one slash/],
    ['/home /\\evil.example', /starts with one slash/],
    ['/home / 418', /418 is not supported/],
    ['/home / 301?', /not understood/],
    ['/home / 301 302', /not understood/],
    ['/home / 301 Country=de', /Country is not supported/],
    ['/home / 200! Role=admin', /Role is not supported/],
    ['/home / 301 Language=', /Language needs a value/],
    ['/api/* https://api.example.com/:splat 200', /proxying/],
    ['/api/* https://api.example.com/:splat 404', /proxying/],
    ['/api/* /.netlify/functions/:splat 200', /Functions do not run here/],
    ['/hook /.netlify/functions/hook 200!', /Functions do not run here/],
    ['/edge/* /.netlify/edge-functions/x', /Functions do not run here/],
    ['/a/*/b/* /c', /at most one \*/],
    ['/:a/:a /c', /twice/],
    ['/:a:b /c', /need text between/],
    ['/*:a /c', /slash between/],
    ['/%zz /c', /%25/],
    ['/a%2Fb /c', /encoded slash/],
    ['/a/../b /c', /dot segment/],
    ['/#/about /about 301!', /Browsers do not send what follows #/],
    ['/gone#top /about 302', /Browsers do not send what follows #/],
    ['https://a.example/#x /c', /Browsers do not send what follows #/],
    ['https://a.example:8080/* /c', /a user or a port/],
    ['https://me@a.example/* /c', /a user or a port/],
    ['https://ä.example/ /c', /not valid/],
    ['/a https://:host.example/', /cannot come from the request/],
    ['/a/* https://:splat', /cannot come from the request/],
    ['/a/* https://good.example:splat', /cannot come from the request/],
    ['/a https://good.example@evil.example/', /not valid/],
    ['/a\u0000b /c', /control character/],
    [`/a /${'b'.repeat(2000)}`, /longer than/],
  ] as const) {
    const { rules, findings, excess } = parse(`/first /1\n${line}\n/last /2`)
    assert.deepEqual(
      rules.map(({ from }) => from),
      ['/first', '/last'],
      line,
    )
    assert.equal(excess, null)
    assert.equal(findings.length, 1, line)
    assert.match(findings[0]?.message ?? '', reason, line)
    assert.deepEqual([findings[0]?.file, findings[0]?.line, findings[0]?.level], ['/_redirects', 2, 'error'])
  }
})

test('line endings, a byte order mark, comments and bytes that are not UTF-8 do not confuse the lines', () => {
  assert.deepEqual(
    parse('\ufeff/a /1\r\n\r\n# no\r/b /2\n\n   # no\n/c /3').rules.map(({ line, from }) => [line, from]),
    [
      [1, '/a'],
      [4, '/b'],
      [7, '/c'],
    ],
  )
  const broken = Buffer.concat([Buffer.from('/a /1\n/b\xff', 'latin1'), Buffer.from(' /2\n/c /3')])
  const { rules, findings } = parse(broken)
  assert.deepEqual(
    rules.map(({ from }) => from),
    ['/a', '/c'],
  )
  assert.match(findings[0]?.message ?? '', /UTF-8/)
})

test('a rule that can never apply, and a placeholder that stays as text, are warnings', () => {
  const { rules, findings } = parse('/a /1\n/a /2\n/b/:x /c/:y 301\n/w /wiki/Talk:Main')
  assert.deepEqual(
    rules.map(({ line }) => line),
    [1, 3, 4],
  )
  assert.deepEqual(
    findings.map(({ line, level, message }) => [line, level, message.slice(0, 22)]),
    [
      [2, 'warning', 'Line 1 already answers'],
      [3, 'warning', 'The target has :y, whi'],
      [4, 'warning', 'The target has :Main, '],
    ],
  )
})

test('two patterns that differ in the names of their placeholders are for the same paths', () => {
  const { rules, findings } = parse('/blog/:a/* /x/:a\n/blog/:b/* /y/:b\n/blog/:b/x/* /z/:b')
  assert.deepEqual(
    rules.map(({ line }) => line),
    [1, 3],
  )
  assert.deepEqual(
    findings.map(({ line, message }) => [line, message.slice(0, 22)]),
    [[2, 'Line 1 already answers']],
  )
})

test('a colon inside of a segment is a placeholder, which is said, unless it is escaped', () => {
  const wiki = parse('/wiki/Category:Dogs /dogs\n/wiki/Category:Cats /cats')
  assert.deepEqual(
    wiki.findings.map(({ line, level, message }) => [line, level, message.slice(0, 34)]),
    [
      [1, 'warning', ':Dogs stands for any text here. If'],
      [2, 'warning', ':Cats stands for any text here. If'],
      [2, 'warning', 'Line 1 already answers "/wiki/Cate'],
    ],
  )
  for (const text of [
    '/wiki/Category%3ADogs /dogs\n/wiki/Category%3ACats /cats',
    '/p:id /products/:id\n/:year-:slug /archive/:slug\n/q:id /q?id=:id',
  ]) {
    assert.deepEqual(parse(text).findings, [], text)
  }
})

test('limits are clear errors', () => {
  const lines = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n')
  assert.equal(parse(lines(ruleLimits.staticRules, (n) => `/p${n} /`)).excess, null)
  assert.match(
    parse(lines(ruleLimits.staticRules + 1, (n) => `/p${n} /`)).excess ?? '',
    /more than 10000 rules/,
  )
  assert.equal(parse(lines(ruleLimits.dynamicRules, (n) => `/p${n}/* /`)).excess, null)
  assert.match(
    parse(lines(ruleLimits.dynamicRules + 1, (n) => `/p${n}/* /`)).excess ?? '',
    /more than 1000 rules/,
  )
  assert.match(parse('#'.repeat(ruleLimits.redirectsBytes + 1)).excess ?? '', /bytes/)
  const same = parse(lines(ruleLimits.rulesPerPath + 5, (n) => `/p x=${n} /${n}`))
  assert.equal(same.rules.length, ruleLimits.rulesPerPath)
  assert.equal(same.findings.length, 5)
})

test('a file of mistakes is a short list', () => {
  const { findings } = parse('nonsense\n'.repeat(50_000))
  assert.equal(findings.length, 101)
  assert.match(findings.at(-1)?.message ?? '', /49900 more/)
})

test('a line is read up to its first fault, however many it has', (context) => {
  const { mock } = context.mock.method(globalThis, 'decodeURIComponent')
  const lines = Array.from({ length: 500 }, (_, at) => `/${at}/x${'/%'.repeat(900)}/*${'/%'.repeat(50)} /t`)
  const { findings } = parse(lines.join('\n'))
  assert.match(findings[0]?.message ?? '', /% that is not part of an escape/)
  assert.equal(mock.callCount(), lines.length)
})

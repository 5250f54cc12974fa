import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownedHeaders } from '../header-names.ts'
import { readSiteRules } from '../read-site-rules.ts'
import { ruleLimits } from '../rules.ts'
import { parseHeaders } from './parse-headers.test-kit.ts'

const parse = (text: string) => parseHeaders(new TextEncoder().encode(text))

test('headers belong to the path above them', () => {
  const { rules, findings } = parse(
    [
      '# security',
      '/*',
      '  X-Frame-Options: DENY',
      "\tcontent-security-policy:default-src 'self'; img-src data: https://x.example:8443",
      '',
      '  # comment',
      '  ! X-Powered-By',
      'https://:project.example/static/*  ',
      'Cache-Control: max-age=1',
      'Cache-Control: immutable',
    ].join('\r\n'),
  )
  assert.deepEqual(findings, [])
  assert.deepEqual(rules, [
    {
      line: 2,
      from: '/*',
      unset: ['X-Powered-By'],
      set: [
        ['X-Frame-Options', 'DENY'],
        ['content-security-policy', "default-src 'self'; img-src data: https://x.example:8443"],
      ],
    },
    {
      line: 8,
      from: 'https://:project.example/static/*',
      unset: [],
      set: [
        ['Cache-Control', 'max-age=1'],
        ['Cache-Control', 'immutable'],
      ],
    },
  ])
})

test('blanks and a comment after a path are no part of it', () => {
  for (const line of [
    '/members/* # staff only',
    '/members/*\t#staff',
    '/members/* # a # b',
    '/members/*\u00a0',
    '/members/*\u200b',
    '\ufeff/members/*  ',
  ]) {
    const { rules, findings } = parse(`/a\n  A: 1\n${line}\n  X-A: 1`)
    assert.deepEqual(findings, [], line)
    assert.deepEqual(rules[1], { line: 3, from: '/members/*', unset: [], set: [['X-A', '1']] }, line)
  }
  const { rules, findings } = parse('/members/* staff\n  X-A: 1')
  assert.equal(rules[0]?.from, '/members/* staff')
  assert.deepEqual([findings[0]?.line, findings[0]?.level], [1, 'warning'])
  assert.match(findings[0]?.message ?? '', /has a space, which counts as part of it/)
})

test('a line that cannot be used is reported, and the others are used', () => {
  for (const [line, reason] of [
    ['X-Frame-Options', /neither a path, a header/],
    ['X Frame: DENY', /not the name of a header/],
    [': DENY', /not the name of a header/],
    ['!', /not the name of a header/],
    ['! X Frame', /not the name of a header/],
    ['X-Empty:', /no value/],
    ['X-Wide: café', /outside ASCII/],
    ['X-Nul: a\u0000b', /control character/],
    ['X-Bell: a\u0007b', /control character/],
    [`X-Long: ${'a'.repeat(ruleLimits.headerLine)}`, /longer than/],
    ['Content-Length: 5', /cannot be set/],
    ['! Content-Length', /cannot be set/],
    ['Basic-Auth: mia', /A user has no password.*only members of the account get in/],
    ['Basic-Auth: :pa55word', /no name/],
    ['basic-auth : mia:', /password is empty/],
    [`Basic-Auth: mia:${'pa55word'.repeat(20)}`, /longer than 128 bytes/],
    ['! Basic-Auth', /cannot be set/],
  ] as const) {
    const { rules, findings } = parse(`/*\n  A: 1\n  ${line}\n  B: 2`)
    assert.deepEqual(
      rules[0]?.set,
      [
        ['A', '1'],
        ['B', '2'],
      ],
      line,
    )
    assert.equal(findings.length, 1, line)
    assert.match(findings[0]?.message ?? '', reason, line)
    assert.equal(findings[0]?.line, 3, line)
    assert.ok(!JSON.stringify(findings).includes('pa55word'))
  }
})

test('headers below a path that cannot be used do not fall to the path above it', () => {
  const { rules, findings } = parse('/a\n  A: 1\n/b/*/c/*\n  B: 2\n/d\n  D: 3')
  assert.deepEqual(
    rules.map(({ from, set }) => [from, set]),
    [
      ['/a', [['A', '1']]],
      ['/d', [['D', '3']]],
    ],
  )
  assert.equal(findings.length, 1)
  assert.equal(findings[0]?.line, 3)
})

test('headers without a path, and a path without headers, are reported', () => {
  assert.match(parse('X-A: 1').findings[0]?.message ?? '', /no path above/)
  assert.deepEqual(parse('X-A: 1').rules, [])
  assert.match(parse('/a\n/b\n  B: 1').findings[0]?.message ?? '', /No headers follow/)
})

test('every header that the server sets itself is refused in any case', () => {
  for (const name of ownedHeaders.keys()) {
    for (const spelling of [name, name.toUpperCase()]) {
      const { rules, findings } = parse(`/*\n  ${spelling}: 1`)
      assert.deepEqual(rules, [])
      assert.equal(findings[0]?.level, 'error')
    }
  }
})

test('headers that proxies obey are refused in any case, and others of the same proxy are not', () => {
  const commands =
    'X-Accel-Redirect X-Accel-Expires X-Accel-Buffering X-Sendfile X-Sendfile2 X-Lighttpd-Send-File ' +
    'X-LiteSpeed-Location X-LiteSpeed-Purge X-Reproxy-URL X-Reproxy-File X-Envoy-Immediate-Health-Check-Fail'
  for (const name of commands.split(' ')) {
    for (const line of [`${name}: /x`, `${name.toUpperCase()}: /x`, `! ${name.toLowerCase()}`]) {
      const { rules, findings } = parse(`/*\n  ${line}`)
      assert.deepEqual(rules, [], line)
      assert.equal(findings[0]?.level, 'error', line)
      assert.match(findings[0]?.message ?? '', /cannot be set\. Proxies in front of the server obey it\./)
    }
  }
  assert.deepEqual(parse('/*\n  X-LiteSpeed-Cache-Control: max-age=5\n  X-Accelerated: 1').findings, [])
})

test('limits are clear errors', () => {
  assert.match(parse(`#${'x'.repeat(ruleLimits.headersBytes)}`).excess ?? '', /bytes/)
  const paths = Array.from({ length: ruleLimits.dynamicRules + 1 }, (_, n) => `/${n}/*\n  A: 1`).join('\n')
  assert.match(parse(paths).excess ?? '', /more than 1000 paths/)
})

test('Basic-Auth lines are passwords of users, and no headers', () => {
  const text =
    '/*\n  Basic-Auth: mia:pa55word  leo:with:colon\n  X-A: 1\n/b/*\n  BASIC-AUTH:zoe:x\n  Basic-Auth: mia:pa55word bad\n/c*d*\n  Basic-Auth: a:b\n'
  const read = readSiteRules(new Map([['/_headers', new TextEncoder().encode(text)]]), () => false)
  const mia = { user: 'mia', password: 'pa55word' }
  assert.deepEqual(read.protections, [
    { line: 1, from: '/*', credentials: [mia, { user: 'leo', password: 'with:colon' }] },
    { line: 4, from: '/b/*', credentials: [{ user: 'zoe', password: 'x' }, mia] },
  ])
  assert.deepEqual(
    read.rules.headers.map(({ set }) => set),
    [[['X-A', '1']]],
  )
  assert.ok(!JSON.stringify([read.rules, read.findings]).includes('pa55word'))
  assert.deepEqual(
    read.findings.map(({ line }) => line),
    [6, 7, 8],
  )
  const many = Array.from({ length: 51 }, (_, n) => `u${n}:p`).join(' ')
  const tooMany = readSiteRules(
    new Map([['/_headers', new TextEncoder().encode(`/*\n  Basic-Auth: ${many}`)]]),
    () => false,
  )
  assert.match(tooMany.excess ?? '', /more than 50 passwords/)
  for (const names of [['u'], ['zoë', 'zoë'.normalize('NFD')]]) {
    const oneUser = Array.from({ length: 5 }, (_, n) => `${names[n % names.length]}:${n}`).join(' ')
    const toOne = readSiteRules(
      new Map([['/_headers', new TextEncoder().encode(`/*\n  Basic-Auth: ${oneUser}`)]]),
      () => false,
    )
    assert.match(toOne.excess ?? '', /more than 4 passwords for one user/)
  }
})

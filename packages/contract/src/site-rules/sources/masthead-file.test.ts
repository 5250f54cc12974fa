import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSiteRules } from '../read-site-rules.ts'
import type { RuleFile } from '../rules.ts'

const site = new Set(['/index.html', '/404.html', '/about.html'])

/** Files as text, or masthead.json as an object. */
function read(files: Partial<Record<RuleFile, string>> | object[], project = {}) {
  const given = Array.isArray(files) ? { '/masthead.json': JSON.stringify(files[0]) } : files
  const contents = Object.entries(given).map(
    ([path, text]) => [path as RuleFile, new TextEncoder().encode(text)] as const,
  )
  return readSiteRules(new Map(contents), (path) => site.has(path), { project })
}

const place = { file: '/masthead.json', line: 1 }

test('members that can be used become the rules that the other files make', () => {
  for (const [members, rules] of [
    [{ redirects: [{ from: '/a', to: '/b' }] }, { redirects: [{ from: '/a', to: '/b', status: 301 }] }],
    [
      {
        redirects: [
          { from: '/a', to: '/b', status: 302, force: true, query: { id: ':id' }, language: 'de-AT' },
        ],
      },
      {
        redirects: [
          { from: '/a', query: [['id', ':id']], languages: ['de-at'], to: '/b', status: 302, force: true },
        ],
      },
    ],
    [
      { redirects: [{ from: '/a', to: '/b', language: ['de', 'FR'], force: false, query: {} }] },
      { redirects: [{ from: '/a', languages: ['de', 'fr'], to: '/b', status: 301 }] },
    ],
    [
      { headers: [{ for: '/*', values: { 'X-A': '1', Link: ['<a>', '<b>'], 'X-B': null } }] },
      {
        headers: [
          {
            from: '/*',
            unset: ['X-B'],
            set: [
              ['X-A', '1'],
              ['Link', '<a>'],
              ['Link', '<b>'],
            ],
          },
        ],
      },
    ],
    [{ project: 'x', folder: 'dist', $schema: 'x', server: 'y', domains: { primary: 'a.com' } }, {}],
    [{ spa: false }, { settings: [{ name: 'singlePage', value: false }] }],
    [{ notFound: '/404.html' }, { settings: [{ name: 'notFound', value: '/404.html' }] }],
    [{ htmlHandling: 'none' }, { settings: [{ name: 'htmlHandling', value: 'none' }] }],
  ] as [object, Record<string, object[]>][]) {
    const placed = Object.entries(rules).map(([name, list]) => [
      name,
      list.map((one) => ({ ...place, ...one })),
    ])
    const expected = { redirects: [], headers: [], ...Object.fromEntries(placed) }
    assert.deepEqual(
      read([members]),
      { rules: expected, protections: [], findings: [], excess: null },
      JSON.stringify(members),
    )
  }
})

test('an entry that cannot be used is reported with its place, and the others are used', () => {
  for (const [entry, reason] of [
    [{ to: '/b' }, /redirects\[1\]: "from" is missing/],
    [{ from: '/a', to: 5 }, /"to" is not a text; put it in quotes/],
    [{ from: '/a', to: '/b', status: 418 }, /status 418 is not allowed; give 200, 301/],
    [{ from: '/a', to: '/b', forced: true }, /"forced" is not known here; did you mean "force"/],
    [{ from: '/a', to: '/b', force: 'yes' }, /"force" is neither true nor false/],
    [{ from: '/a', to: '/b', query: { id: 1 } }, /"id" is not a text/],
    [{ from: '/a', to: '/b', language: [] }, /"language" is empty/],
    [{ from: '/a', to: '/b', language: 'd e' }, /is not a language, such as de/],
    [{ from: '/a', to: '/b', language: 5 }, /neither a language nor a list of languages/],
    [{ from: 'a', to: '/b' }, /starts with a slash/],
    [{ from: '/a', to: '//evil.example' }, /starts with one slash/],
    [{ from: '/a', to: 'https://x.example/', status: 200 }, /proxying/],
    [{ from: '/a', to: ' /.netlify/functions/x', status: 200 }, /Functions do not run here/],
    [{ from: `/${'a'.repeat(2_000)}`, to: '/b' }, /"from" is too long/],
    ['/a /b', /has no members of its own/],
    [null, /has no members of its own/],
  ] as const) {
    const text = `{"redirects": [\n{"from": "/x", "to": "/y"},\n\n${JSON.stringify(entry)},{"from":"/z","to":"/y"}]}`
    const { rules, findings } = read({ '/masthead.json': text })
    assert.deepEqual(
      rules.redirects.map(({ from }) => from),
      ['/x', '/z'],
      text,
    )
    assert.equal(findings.length, 1, JSON.stringify(findings))
    assert.deepEqual(
      [findings[0]?.file, findings[0]?.line, findings[0]?.level],
      ['/masthead.json', 4, 'error'],
    )
    assert.match(findings[0]?.message ?? '', reason)
  }
})

test('headers, settings and whole files that cannot be used are reported', () => {
  for (const [text, line, level, reason] of [
    [
      '{"headers":[{"for":"/*","values":{"Content-Length":"5"}}]}',
      1,
      'error',
      /Content-Length cannot be set/,
    ],
    ['{"headers":[{"for":"/*","values":{"X A":"5"}}]}', 1, 'error', /not the name of a header/],
    ['{"headers":[\n{"for":"/*","values":{"X-A":"ü"}}]}', 2, 'error', /outside ASCII/],
    ['{"headers":[{"for":"/*","values":{"X-A":5}}]}', 1, 'error', /not a text, a list of texts or null/],
    ['{"headers":[{"for":"x","values":{"X-A":"5"}}]}', 1, 'error', /starts with a slash/],
    ['{"headers":[{"for":"/*","values":{}}]}', 1, 'warning', /No headers are set/],
    ['{"headers":{"/*":{}}}', 1, 'error', /"headers" is not a list/],
    ['{\n\n"spa":"yes"}', 3, 'error', /"spa" is neither true nor false/],
    ['{"htmlHandling":"clean"}', 1, 'error', /htmlHandling "clean" is not allowed; give auto/],
    ['{"notFound":"404.html"}', 1, 'error', /starts with a slash/],
    ['{"notFound":"/none.html"}', 1, 'warning', /no file "\/none.html"/],
    ['{\n"redirect":[]}', 2, 'warning', /"redirect" is not known here; did you mean "redirects"/],
    ['{"redirects":\n[}', 2, 'error', /not valid JSON/],
    ['', null, 'error', /not valid JSON/],
    ['[]', 1, 'error', /no members/],
    ['null', 1, 'error', /no members/],
    [`{"a":${'['.repeat(500_000)}`, null, 'error', /nested more than 20 levels/],
  ] as const) {
    const { rules, findings } = read({ '/masthead.json': text })
    assert.deepEqual(rules, { redirects: [], headers: [] })
    const errors = findings.filter(({ message }) => !/known here/.test(message) || reason.test(message))
    assert.match(errors[0]?.message ?? '', reason, text.slice(0, 100))
    if (!text.includes('[}')) assert.equal(errors[0]?.line, line, text.slice(0, 100))
    assert.equal(errors[0]?.level, level)
  }
})

test('YAML under its own name is read if the command line wrote it, and otherwise explained', () => {
  assert.equal(read({ '/masthead.yml': '{"spa":true}' }).rules.settings?.length, 1)
  assert.match(
    read({ '/masthead.yaml': 'project: x\nspa: true' }).findings[0]?.message ?? '',
    /Only `masthead deploy`/,
  )
  assert.deepEqual(read({ '/masthead.yaml': 'project: x\n# spa: true' }).findings, [])
})

test('two files that disagree are reported, and the more important one applies', () => {
  const clash = read({
    '/masthead.json':
      '{"redirects":[{"from":"/a","to":"/1"},{"from":"/b","to":"/2"},{"from":"/c/*","to":"/3"}]}',
    '/_redirects': '/a /other\n/b /2\n/c/d /4\n/a /forced 301!\n/c/* /x\n/e /5',
  })
  assert.deepEqual(
    clash.rules.redirects.map(({ to }) => to),
    ['/1', '/2', '/3', '/4', '/5'],
  )
  assert.deepEqual(
    clash.findings.map(({ file, line, message }) => [file, line, message.replace(/[.(].*/s, '')]),
    [
      ['/_redirects', 1, 'masthead'],
      ['/_redirects', 3, 'masthead'],
      ['/_redirects', 4, 'masthead'],
      ['/_redirects', 5, 'masthead'],
    ],
  )
  assert.match(clash.findings[0]?.message ?? '', /masthead\.json line 1 already answers "\/a"/)
  assert.match(clash.findings[1]?.message ?? '', /masthead\.json line 1 \("\/c\/\*"\) answers first/)
  const both = read({
    '/masthead.json': '{"headers":[{"for":"/*","values":{"X-A":"1"}}]}',
    '/_headers': '/*\n  x-a: 2\n/b\n  X-A: 3',
  })
  assert.equal(both.rules.headers.length, 3)
  assert.match(both.findings[0]?.message ?? '', /masthead\.json also sets x-a/)
  assert.equal(both.findings.length, 1)
})

test("a setting that differs from the project's choice is reported, the same one is not", () => {
  const members = { htmlHandling: 'none', spa: false }
  const { rules, findings } = read([members], { htmlHandling: 'auto', singlePage: false })
  assert.equal(rules.settings?.length, 2)
  assert.deepEqual(
    findings.map(({ message }) => message),
    ["The project's settings have htmlHandling auto. This deployment has none, from masthead.json."],
  )
})

test('limits count what all files have together', () => {
  const redirects = Array.from({ length: 10_000 }, (_, at) => ({ from: `/p${at}`, to: '/' }))
  const json = JSON.stringify({ redirects })
  assert.equal(read({ '/masthead.json': json, '/_redirects': '/p1 /' }).excess, null)
  assert.match(read({ '/masthead.json': json, '/_redirects': '/q /' }).excess ?? '', /more than 10000 rules/)
  const headers = Array.from({ length: 600 }, (_, at) => ({
    for: `/p${at}`,
    values: { 'X-A': 'x'.repeat(90) },
  }))
  const half = JSON.stringify({ headers })
  assert.equal(read({ '/masthead.json': half }).excess, null)
  const more = headers.map(({ for: path }) => `${path}\n X-B: ${'y'.repeat(50)}`).join('\n')
  assert.match(read({ '/masthead.json': half, '/_headers': more }).excess ?? '', /65536 bytes together/)
  assert.match(read({ '/masthead.json': ' '.repeat(1024 ** 2 + 1) }).excess ?? '', /limit is 1048576/)
})

test('a path with thousands of accents is reported before they are sorted', (context) => {
  const normalize = context.mock.method(String.prototype, 'normalize')
  const path = `/a${'\u0300'.repeat(10_000)}${'\u0323'.repeat(10_000)}`
  const { findings, protections } = read([{ protect: [{ for: path, password: 1 }] }])
  assert.deepEqual(protections, [])
  assert.ok(findings.some(({ message }) => message.includes('The path has more accents in a row')))
  assert.deepEqual(
    normalize.mock.calls.map(({ this: text }) => String(text).length).filter((length) => length > 128),
    [],
  )
})

test('protect names paths and passwords, which are no part of the rules, and a wrong entry lets nobody in', () => {
  const protections = (...protect: unknown[]) => read([{ protect }])
  const right = protections({ password: 'pa55word' }, { for: '/a/*', users: { mia: 'pa55word', leo: 'b' } })
  assert.deepEqual(right.protections, [
    { ...place, from: '/*', credentials: [{ user: null, password: 'pa55word' }] },
    {
      ...place,
      from: '/a/*',
      credentials: [
        { user: 'mia', password: 'pa55word' },
        { user: 'leo', password: 'b' },
      ],
    },
  ])
  assert.deepEqual(right.findings, [])
  assert.ok(!JSON.stringify(right.rules).includes('pa55word'))
  for (const entry of [
    { for: '/a' },
    { for: '/a', password: '' },
    { for: '/a', users: {} },
    { for: '/a', pass: 'x' },
  ]) {
    const wrong = protections(entry)
    assert.deepEqual(wrong.protections, [{ ...place, from: '/a', credentials: [] }], JSON.stringify(entry))
    assert.ok(wrong.findings.length > 0)
  }
  for (const entry of [null, 'pa55word', { password: 'a', users: { b: 'c' } }]) {
    assert.deepEqual(protections(entry).protections, [{ ...place, from: '/*', credentials: [] }])
  }
  const { protections: closed } = read([{ protect: 'pa55word' }])
  assert.deepEqual(closed, [{ ...place, from: '/*', credentials: [] }])
  const inHeaders = read([{ headers: [{ for: '/a', values: { 'basic-auth': 'mia:pa55word', 'X-A': '1' } }] }])
  const mia = [{ user: 'mia', password: 'pa55word' }]
  assert.deepEqual(inHeaders.protections, [{ ...place, from: '/a', credentials: mia }])
  assert.deepEqual(inHeaders.rules.headers[0]?.set, [['X-A', '1']])
  const bad = protections({ for: '/*/*', password: 'pa55word' })
  assert.match(bad.findings[0]?.message ?? '', /need no password until/)
  assert.ok(!JSON.stringify(bad.findings).includes('pa55word'))
})

test('a list with more entries than any site has rules is refused before it is read', () => {
  for (const name of ['redirects', 'headers']) {
    for (const file of ['/masthead.json', '/vercel.json'] as const) {
      const list = (length: number) => ({ [file]: JSON.stringify({ [name]: Array(length).fill(1) }) })
      assert.equal(read(list(11_000)).excess, null)
      const { excess, findings } = read(list(11_001))
      assert.equal(excess, `${file.slice(1)} has more than 11000 ${name}.`)
      assert.deepEqual(findings, [])
    }
  }
})

test('of many unknown members, only those that are listed are compared with the known ones', (context) => {
  const names = Array.from({ length: 10_000 }, (_, at) => [`member${at}`, 1] as const)
  const [unknown, some] = [Object.fromEntries(names), Object.fromEntries(names.slice(0, 900))]
  const { mock } = context.mock.method(String.prototype, 'toLowerCase')
  for (const members of [unknown, { redirects: [{ from: '/a', to: '/b', ...some }] }]) {
    const before = mock.callCount()
    const { findings } = read([members])
    assert.match(findings[0]?.message ?? '', /"member0" is not known here/)
    assert.ok(mock.callCount() - before < 3_000, `${mock.callCount()}`)
  }
})

test('an entry with thousands of parts is refused with its line, whatever they are', () => {
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, 'b']))
  const list = Array.from({ length: 1_001 }, () => 'de')
  for (const [member, entry] of [
    ['headers', { for: '/*', values: many }],
    ['redirects', { from: '/a', to: '/b', query: many }],
    ['redirects', { from: '/a', to: '/b', language: list }],
    ['redirects', many],
    ['protect', { for: '/a', users: many }],
    ['redirects', { from: '/a', to: '/b', has: [{ type: 'cookie', key: list }] }],
  ] as const) {
    const text = JSON.stringify({ [member]: [entry] }).replace('[', '[\n')
    const { excess } = read({ '/masthead.json': text })
    assert.match(
      excess ?? '',
      new RegExp(`^masthead\\.json line \\d+: ${member}\\[0\\] has .* more than 1000 members\\.$`),
    )
  }
})

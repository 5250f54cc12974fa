import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSiteRules } from '../read-site-rules.ts'
import { type RuleFile, ruleLimits } from '../rules.ts'
import { rulesOnly } from './sent-rules.ts'

const site = new Set(['/index.html', '/about.html'])

function read(file: RuleFile, text: string) {
  return readSiteRules(new Map([[file, new TextEncoder().encode(text)]]), (path) => site.has(path), {
    countries: 'none',
  })
}

const netlify = (entry: string) => read('/netlify.toml', `[[redirects]]\n${entry}\n`)
const netlifyHeaders = (entry: string) => read('/netlify.toml', `[[headers]]\nfor = "/*"\n${entry}\n`)
const vercel = (members: object) => read('/vercel.json', JSON.stringify(members))

test('redirects of netlify.toml are those of _redirects', () => {
  for (const [entry, rule] of [
    ['from = "/a"\nto = "/b"', { from: '/a', to: '/b', status: 301 }],
    [
      'from = "/a"\nto = "/b"\nstatus = 302\nforce = true',
      { from: '/a', to: '/b', status: 302, force: true },
    ],
    ["origin = '/a'\ndestination = '/b'", { from: '/a', to: '/b', status: 301 }],
    [
      'from = "/*"\nto = "/index.html"\nstatus = 200\nforce = false',
      { from: '/*', to: '/index.html', status: 200 },
    ],
    [
      'from = "/s"\nto = "/p/:id"\nquery = {id = ":id"}',
      { from: '/s', to: '/p/:id', status: 301, query: [['id', ':id']] },
    ],
    [
      'from = "/"\nto = "/de"\n[redirects.conditions]\nLanguage = ["de", "DE-at"]',
      { from: '/', to: '/de', status: 301, languages: ['de', 'de-at'] },
    ],
  ] as const) {
    const rules = { redirects: [{ file: '/netlify.toml', line: 1, ...rule }], headers: [] }
    const expected = netlify(entry)
    assert.deepEqual(expected.rules, rules, entry)
    assert.deepEqual(
      expected.findings.filter(({ message }) => !/is also a file/.test(message)),
      [],
      entry,
    )
  }
})

test('headers of netlify.toml may have several lines or several values', () => {
  const { rules, findings } = read(
    '/netlify.toml',
    [
      '# all pages',
      '[[headers]]',
      '  for = "/*"',
      '  [headers.values]',
      '    X-Frame-Options = "DENY"',
      "    cache-control = '''",
      '      max-age=0,',
      "      no-cache'''",
      '    Link = ["<a>", "<b>"]',
      '[build]',
      '  publish = "dist"',
    ].join('\r\n'),
  )
  assert.deepEqual(findings, [])
  const set = [
    ['X-Frame-Options', 'DENY'],
    ['cache-control', 'max-age=0, no-cache'],
    ['Link', '<a>'],
    ['Link', '<b>'],
  ]
  assert.deepEqual(rules.headers, [{ file: '/netlify.toml', line: 2, from: '/*', unset: [], set }])
})

test('blanks in a header of netlify.toml are read in one pass, however many there are', () => {
  const read = (value: string) => netlifyHeaders(`values = { X-A = ${value} }`)
  const blanks = '\t '.repeat(20)
  const { rules } = read(`'''a${blanks}b,${blanks}\n\n${blanks}\r\n${blanks}c${blanks}'''`)
  assert.deepEqual(rules.headers[0]?.set, [['X-A', `a${blanks}b, c`]])
  // Minutes, if every blank were a place to start from.
  assert.match(read(`"a${' '.repeat(200_000)}b"`).excess ?? '', /more than 65536 bytes/)
})

test('what netlify.toml says that cannot be done here is reported, entry by entry', () => {
  for (const [text, line, level, reason] of [
    ['[[redirects]]\nto = "/b"', 1, 'error', /"from" is missing/],
    ['\n[[redirects]]\nfrom = "/b"', 2, 'error', /"to" is missing/],
    ['[[redirects]]\nfrom = 1\nto = "/b"', 1, 'error', /redirects\[0\]: "from" is not a text/],
    [
      '[[redirects]]\nfrom = "/a"\nto = "/b"\nstatus = "302"',
      1,
      'error',
      /"status" is not a number; write it without quotes/,
    ],
    ['[[redirects]]\nfrom = "/a"\nto = "/b"\nstatus = 418', 1, 'error', /status 418 is not supported/],
    ['[[redirects]]\nfrom = "/a"\nto = "https://b.example/"\nstatus = 200', 1, 'error', /proxying/],
    [
      '[[redirects]]\nfrom = "/a"\nto = "/.netlify/functions/x"\nstatus = 200',
      1,
      'error',
      /Functions do not run/,
    ],
    ['[[redirects]]\nfrom = "/a"\nto = "/b"\nconditions = {Country = ["de"]}', 1, 'error', /Country is not/],
    [
      '[[redirects]]\nfrom = "/a"\nto = "/b"\nconditions = {Role = ["x"]}',
      1,
      'error',
      /Role is not supported/,
    ],
    ['[[redirects]]\nfrom = "/a"\nto = "/b"\nsigned = "KEY"', 1, 'warning', /for proxies/],
    ['redirects = [{from = "/a"}]', null, 'error', /redirects\[0\]: "to" is missing/],
    ['[redirects]\nfrom = "/a"', 1, 'error', /"redirects" is not a list/],
    ['[[headers]]\nfor = "/*"', 1, 'error', /"values" is missing/],
    ['[[headers]]\nfor = "/*"\n[headers.values]\nContent-Length = "5"', 1, 'error', /cannot be set/],
    ['[functions]\nnode_bundler = "esbuild"', 1, 'warning', /Functions do not run/],
    ['[build]\n\n[[edge_functions]]\npath = "/"', 3, 'warning', /Edge functions do not run/],
    ['[build]\npublish = dist', 2, 'error', /not valid TOML/],
    [`a = ${'['.repeat(100_000)}`, 1, 'error', /not valid TOML/],
  ] as const) {
    const { findings } = read('/netlify.toml', text)
    const found = findings.find(({ message }) => reason.test(message))
    assert.deepEqual(
      [found?.line, found?.level],
      [line, level],
      `${text.slice(0, 80)} ${JSON.stringify(findings)}`,
    )
  }
  assert.deepEqual(
    read('/netlify.toml', '[build]\ncommand = "x"\n[context.production]\ncommand = "y"').findings,
    [],
  )
  assert.match(read('/netlify.toml', '#'.repeat(ruleLimits.tomlBytes + 1)).excess ?? '', /limit is 262144/)
})

test('redirects come before files and rewrites after them, as at Vercel', () => {
  for (const [source, destination, from, to] of [
    ['/a', '/b', '/a', '/b'],
    ['/blog/:slug', '/news/:slug', '/blog/:slug', '/news/:slug'],
    ['/blog/:path*', '/news/:path*', '/blog/*', '/news/:splat'],
    ['/blog/:path*', 'https://x.example/:path(.*)', '/blog/*', 'https://x.example/:splat'],
    ['/(.*)', '/x/$1', '/*', '/x/:splat'],
    ['/:path(.*)', '/x/:path', '/*', '/x/:splat'],
    ['/:a/:rest*', '/$2/$1', '/:a/*', '/:splat/:a'],
    ['/(.*)\\.html', '/$1', '/*.html', '/:splat'],
    ['/m/:slug', '/m2/:slug*', '/m/:slug', '/m2/:slug'],
    ['/wiki/Talk\\:Main', '/talk', '/wiki/Talk%3AMain', '/talk'],
    [
      '/view-source/:path*',
      'https://g.example/:path*?raw=1',
      '/view-source/*',
      'https://g.example/:splat?raw=1',
    ],
  ] as const) {
    const { rules, findings } = vercel({ redirects: [{ source, destination }] })
    const place = { file: '/vercel.json', line: 1 }
    assert.deepEqual(rules.redirects, [{ ...place, from, to, status: 308, force: true }], source)
    assert.deepEqual(findings, [])
  }
  const statuses = vercel({
    redirects: [
      { source: '/a', destination: '/x', permanent: false },
      { source: '/b', destination: '/x', permanent: true },
      { source: '/c', destination: '/x', statusCode: 302 },
    ],
    rewrites: [{ source: '/(.*)', destination: '/index.html' }],
  })
  assert.deepEqual(
    statuses.rules.redirects.map(({ status, force }) => [status, force]),
    [
      [307, true],
      [308, true],
      [302, true],
      [200, undefined],
    ],
  )
})

test('segments that :name* stands for may be missing', () => {
  for (const [source, destination, expected] of [
    [
      '/a/:path*/edit',
      '/b/:path*/e?p=:path*',
      [
        ['/a/*/edit', '/b/:splat/e?p=:splat'],
        ['/a/edit', '/b/e?p='],
      ],
    ],
    [
      '/:path*/edit',
      'https://x.example/:path*',
      [
        ['/*/edit', 'https://x.example/:splat'],
        ['/edit', 'https://x.example'],
      ],
    ],
    ['/a/:path+/edit', '/b', [['/a/*/edit', '/b']]],
    ['/a/:path(.*)/edit', '/b', [['/a/*/edit', '/b']]],
  ] as const) {
    const { rules, findings } = vercel({ redirects: [{ source, destination }] })
    assert.deepEqual(
      rules.redirects.map(({ from, to }) => [from, to]),
      expected,
    )
    assert.deepEqual(findings, [])
  }
  const headers = [{ key: 'X-A', value: '1' }]
  const has = [{ type: 'host', value: 'acme.com' }]
  const { rules } = vercel({ headers: [{ source: '/a/:path*/edit', has, headers }] })
  assert.deepEqual(
    rules.headers.map(({ from }) => from),
    ['https://acme.com/a/*/edit', 'https://acme.com/a/edit'],
  )
})

test('a parameter of the query may have any name', () => {
  const has = [{ type: 'query', key: 'utm-source' }]
  const { rules, findings } = vercel({ redirects: [{ source: '/a', has, destination: '/b/:utmsource' }] })
  assert.deepEqual(findings, [])
  assert.deepEqual(rules.redirects[0]?.query, [['utm-source', ':utmsource']])
})

test('conditions, headers and settings of vercel.json', () => {
  const has = [
    { type: 'host', value: 'old\\.acme\\.com' },
    { type: 'query', key: 'id' },
  ]
  const value = '(?<page>.*)'
  const { rules, findings } = vercel({
    redirects: [
      { source: '/:path*', has, destination: 'https://acme.com/:path*' },
      { source: '/p', has: [{ type: 'query', key: 'page', value }], destination: '/pages/:page' },
      { source: '/p', has: [{ type: 'query', key: 'x', value: 'y' }], destination: '/z' },
    ],
    headers: [{ source: '/assets/(.*)', headers: [{ key: 'X-A', value: '$1' }] }],
    trailingSlash: true,
    cleanUrls: true,
    framework: 'vite',
  })
  assert.deepEqual(findings, [])
  assert.deepEqual(
    rules.redirects.map(({ from, query, to }) => [from, query, to]),
    [
      ['https://old.acme.com/*', [['id', ':id']], 'https://acme.com/:splat'],
      ['/p', [['page', ':page']], '/pages/:page'],
      ['/p', [['x', 'y']], '/z'],
    ],
  )
  assert.deepEqual(rules.headers[0]?.set, [['X-A', ':splat']])
  assert.deepEqual(
    rules.settings?.map(({ name, value }) => [name, value]),
    [['htmlHandling', 'force-trailing-slash']],
  )
  const settingOf = (members: object) => vercel(members).rules.settings?.[0]?.value
  assert.equal(settingOf({ cleanUrls: true }), 'auto')
  assert.equal(settingOf({ cleanUrls: false }), undefined)
  assert.equal(settingOf({ trailingSlash: false, cleanUrls: true }), 'drop-trailing-slash')
  assert.equal(settingOf({}), undefined)
})

test('what vercel.json says that cannot be done here is reported, entry by entry', () => {
  for (const [members, reason] of [
    [{ redirects: [{ source: '/a' }] }, /"destination" is missing/],
    [
      { redirects: [{ source: '/a', destination: '/b', statusCode: 200 }] },
      /200 is not supported for redirects/,
    ],
    [{ redirects: [{ source: '/post/:id(\\d{1,})', destination: '/b' }] }, /regular expression at "\(\\\\d/],
    [{ redirects: [{ source: '/((?!api/).*)', destination: '/b' }] }, /regular expression/],
    [{ redirects: [{ source: '/:lang(en|de)/x', destination: '/b' }] }, /regular expression/],
    [{ redirects: [{ source: '/{a}?', destination: '/b' }] }, /regular expression/],
    [{ redirects: [{ source: '/:a?', destination: '/b' }] }, /optional parameter :a\?/],
    [{ redirects: [{ source: '/:a*/:b*', destination: '/b' }] }, /at most one \*/],
    [
      { redirects: [{ source: '/a', destination: '/b', missing: [{ type: 'header', key: 'x' }] }] },
      /"missing" is not/,
    ],
    [
      { redirects: [{ source: '/a', destination: '/b', has: [{ type: 'cookie', key: 'x' }] }] },
      /type cookie is not/,
    ],
    [
      { redirects: [{ source: '/a', destination: '/b', has: [{ type: 'host', value: '(.*)' }] }] },
      /type host is not/,
    ],
    [
      { redirects: [{ source: '/a', destination: '/b', has: [{ type: 'query', key: 'x', value: '\\d' }] }] },
      /parameter x/,
    ],
    [{ rewrites: [{ source: '/api/(.*)', destination: 'https://api.example/$1' }] }, /proxying/],
    [{ headers: [{ source: '/(.*)', headers: [{ key: 'X' }] }] }, /"value" is missing/],
    [{ routes: [{ src: '/.*' }] }, /"routes" is not read/],
    [{ functions: {} }, /Functions do not run/],
    [{ cleanUrls: 'yes' }, /"cleanUrls" is neither true nor false/],
    [{ trailingSlash: false }, /also lose their \.html/],
    [{ cleanUrls: false }, /also lose their \.html/],
  ] as const) {
    const { findings, rules } = vercel(members)
    assert.match(findings[0]?.message ?? '', reason, JSON.stringify(members))
    assert.equal(rules.redirects.length + rules.headers.length, 0)
    assert.equal(findings[0]?.line, 1)
  }
})

test('only rules are sent of these files, on their own lines', () => {
  const toml =
    '[build]\ncommand = "x"\n[build.environment] # why\nKEY = "hunter2"\n\n[[redirects]]\nfrom = "/a"\nto = "b"\n'
  const sent = rulesOnly('/netlify.toml', toml) ?? ''
  assert.doesNotMatch(sent, /hunter2|why/)
  assert.deepEqual(read('/netlify.toml', sent), read('/netlify.toml', toml))
  const json =
    '{\n"env": {"KEY": "hunter2"},\n"functions": {"a": 1},\n"redirects": [\n{"source": "a", "destination": "/b"}]}'
  const reduced = rulesOnly('/vercel.json', json) ?? ''
  assert.doesNotMatch(reduced, /hunter2/)
  assert.deepEqual(read('/vercel.json', reduced), read('/vercel.json', json))
  for (const [file, text] of [
    ['/netlify.toml', 'x = """\n[[redirects]]\n"""\n[build]\nKEY = "hunter2"'],
    ['/netlify.toml', 'redirects = [{from = "/a", to = "/b"}]'],
    ['/netlify.toml', 'a = '],
    ['/vercel.json', '{"a":'],
    ['/vercel.json', '[]'],
  ] as const) {
    assert.equal(rulesOnly(file, text), null, text)
  }
})

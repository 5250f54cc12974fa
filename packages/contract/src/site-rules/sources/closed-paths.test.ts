import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSiteRules } from '../read-site-rules.ts'
import { type RuleFile, ruleFiles, withheldText } from '../rules.ts'

function read(file: RuleFile, text: string) {
  return readSiteRules(new Map([[file, new TextEncoder().encode(text)]]), () => false)
}

/** A password that cannot be used lets nobody in to the path, and is reported without being repeated. */
function assertClosed(file: RuleFile, text: string, from = '/members/*'): void {
  const { protections, findings, rules } = read(file, text)
  const closed = protections.map((rule) => [rule.from, rule.credentials])
  assert.deepEqual(closed, [[from, []]], text)
  const told = findings.filter(({ message }) => message.includes(`only members of the account get in to`))
  assert.equal(told.length, 1, `${text}\n${JSON.stringify(findings)}`)
  assert.equal(told[0]?.level, 'error')
  assert.ok(!JSON.stringify([findings, rules]).includes('pa55word'), text)
}

test('a line of _headers that is meant to be Basic-Auth closes its path', () => {
  for (const line of [
    'Basic-Auth mia:pa55word',
    'basic-auth\tmia:pa55word',
    'Basic-Auth',
    'Basic-Auth:',
    'Basic-Auth = mia:pa55word',
    'Basic-Auth\u00a0mia:pa55word',
    'Basic\u2011Auth: mia:pa55word',
    'Basic-Auth\u200b: mia:pa55word',
    'Basic-Auth\uff1amia:pa55word',
    'BasicAuth: mia:pa55word',
    'Basic_Auth: mia:pa55word',
    'Basic Auth: mia:pa55word',
    '"Basic-Auth": "mia:pa55word"',
    '- Basic-Auth: mia:pa55word',
    'Basic-Auth: mia',
    'Basic-Auth: mia:',
    'Basic-Auth: :pa55word',
    'Basic-Auth: mia:pa55word\u0007',
    `Basic-Auth: mia:pa55word${'x'.repeat(9_000)}`,
  ]) {
    assertClosed('/_headers', `/members/*\n  X-A: 1\n  ${line}\n`)
  }
  for (const line of [
    '/members/* Basic-Auth: mia:pa55word',
    '/members/*  basic-auth mia:pa55word # staff',
    '/members/* "Basic-Auth" = mia:pa55word',
  ]) {
    assertClosed('/_headers', `${line}\n  X-A: 1\n`)
  }
  const bytes = Buffer.concat([Buffer.from('/members/*\n  Basic-Auth: mia:'), Buffer.from([0xff, 0xfe])])
  const { protections } = readSiteRules(new Map([['/_headers', bytes]]), () => false)
  assert.deepEqual(protections, [{ line: 1, from: '/members/*', credentials: [] }])
})

test('a password beside a line that cannot be used still works', () => {
  for (const lines of [
    'Basic-Auth mia:pa55word\n  Basic-Auth: leo:battery',
    'Basic-Auth: leo:battery\n  BasicAuth: mia:pa55word',
  ]) {
    const { protections, findings } = read('/_headers', `/members/*\n  ${lines}\n`)
    const credentials = [{ user: 'leo', password: 'battery' }]
    assert.deepEqual(protections, [{ line: 1, from: '/members/*', credentials }])
    assert.equal(findings.length, 1)
  }
})

test('other headers, comments and removed headers close nothing', () => {
  for (const [file, text] of [
    ['/_headers', '/*\n  Basic-Auth-Realm: x\n  X-Basic-Auth: y\n  # Basic-Auth: mia:pa55word'],
    ['/_headers', '/*\n  ! Basic-Auth\n  X-A: 1'],
    ['/_headers', '/my basic auth page\n  X-A: 1'],
    ['/netlify.toml', '[build.environment]\nBASIC_AUTH = "mia:pa55word"'],
    ['/netlify.toml', '[build]\na = \n# Basic-Auth = "mia:pa55word"'],
    ['/masthead.json', '{"headers":[{"for":"/*","values":{"X-A":5}}],"redirects":{}}'],
  ] as const) {
    assert.deepEqual(read(file, text).protections, [], text)
  }
})

test('an entry of netlify.toml with a password closes its path if it cannot be used', () => {
  const entry = (values: string) => `[[headers]]\nfor = "/members/*"\n[headers.values]\n${values}\n`
  for (const values of [
    'Basic-Auth = ""',
    'Basic-Auth = []',
    'Basic-Auth = 5',
    'Basic-Auth = true',
    'Basic-Auth = ["mia:pa55word", 5]',
    'Basic-Auth = { mia = "pa55word" }',
    'Basic-Auth = 2026-01-01',
    'Basic-Auth.mia = "pa55word"',
    '"Basic Auth" = "mia:pa55word"',
    'basicauth = "mia:pa55word"',
    '" Basic-Auth" = "mia pa55word"',
  ]) {
    assertClosed('/netlify.toml', entry(`X-A = "1"\n${values}`))
  }
  assertClosed('/netlify.toml', '[[headers]]\nfor = "/members/*"\nBasic-Auth = "mia:pa55word"')
  assertClosed('/netlify.toml', '[[headers]]\nfor = "/members/*"\nvalues = ["Basic-Auth: mia:pa55word"]')
  assertClosed(
    '/netlify.toml',
    entry('Basic-Auth = "mia:pa55word"').replaceAll(/\[\[|\]\]/g, (one) => one.slice(1)),
  )
  assertClosed('/netlify.toml', '[[headers]]\n[headers.values]\nBasic-Auth = "mia:pa55word"', '/*')
  // Without a path that can be told.
  assertClosed('/netlify.toml', entry('Basic-Auth = "mia:pa55word"\nBasic-Auth = "leo:pa55word"'), '/*')
  assertClosed('/netlify.toml', 'a = \n[[headers]]\nvalues = {Basic-Auth = "mia:pa55word"}', '/*')
})

test('the text that is stored instead of a file with passwords closes the site, whoever copied it', () => {
  for (const file of ruleFiles) {
    for (const text of [withheldText, withheldText.trim(), withheldText.replace('\n', '\r\n')]) {
      assertClosed(file, text, '/*')
    }
  }
})

test('a value that cannot be used is reported, and the others of its entry are used', () => {
  const toml =
    '[[headers]]\nfor = "/members/*"\n[headers.values]\n" Basic-Auth " = "mia:pa55word"\nAccess-Control-Max-Age = 600\nX-A = "1"\nX-B = {}'
  const json = {
    headers: [
      { for: '/members/*', values: { 'Basic-Auth': 'mia:pa55word', 'X-N': 600, 'X-A': '1', 'X-B': {} } },
    ],
  }
  for (const [file, text, reasons] of [
    [
      '/netlify.toml',
      toml,
      [/"Access-Control-Max-Age": is not a text; put it in quotes/, /"X-B": is not a text or a list/],
    ],
    ['/masthead.json', JSON.stringify(json), [/"X-N": is not a text/, /"X-B": is not a text/]],
  ] as const) {
    const { rules, protections, findings } = read(file, text)
    assert.deepEqual(protections[0]?.credentials, [{ user: 'mia', password: 'pa55word' }])
    assert.deepEqual(rules.headers[0]?.set, [['X-A', '1']])
    assert.equal(findings.length, reasons.length)
    for (const [at, reason] of reasons.entries()) assert.match(findings[at]?.message ?? '', reason)
  }
})

test('an entry of a JSON file with a password closes its path if it cannot be used', () => {
  const headers = (entry: object) => JSON.stringify({ headers: [{ for: '/members/*', ...entry }] })
  for (const entry of [
    { values: { 'Basic-Auth': { mia: 'pa55word' } } },
    { values: { 'Basic-Auth': [] } },
    { values: { 'Basic-Auth': [['mia:pa55word']] } },
    { values: { 'Basic-Auth': 5 } },
    { values: { BASICAUTH: 'mia:pa55word' } },
    { values: { 'Basic-Auth': 'mia:pa55word' }, note: 'staff' },
    { values: [{ key: 'Basic-Auth', value: 'mia:pa55word' }] },
    { value: { 'Basic-Auth': 'mia:pa55word' } },
  ]) {
    assertClosed('/masthead.json', headers(entry))
  }
  const members = { for: '/members/*', values: { 'Basic-Auth': 'mia:pa55word' } }
  assertClosed('/masthead.json', JSON.stringify({ header: members }))
  for (const [text, from] of [
    ['{"headers":{"/members/*":{"Basic-Auth":"mia:pa55word"}}}', '/*'],
    ['{"Protect":[{"for":"/members/*","password":"pa55word"}]}', '/*'],
    ['{"protected":{"password":"pa55word"}}', '/*'],
    ['{"protect":[{"for":"/members/*","password":"pa55word"}}', '/*'],
    ['{"protected":[{"for":"/members/*","password":"pa55word"}}', '/*'],
    ['{"Protection" : {"password":"pa55word"},}', '/*'],
    ['{"headers":[{"for":"/members/*","values":{"Basic-Auth":"mia:pa55word"},"values":{"X-A":"1"}}]}', '/*'],
    ['{"protect":[{"for":"/members/*","password":"pa55word"}],\n"pro\\u0074ect":[]}', '/*'],
  ] as const) {
    assertClosed('/masthead.json', text, from)
  }
  for (const name of ['protect', 'Protected', 'protection'])
    assertClosed('/masthead.yaml', `${name}:\n  - for: /members/*\n    password: pa55word\n`, '/*')
  const vercel = (entry: object) => JSON.stringify({ headers: [entry] })
  const password = [{ key: 'Basic-Auth', value: 'mia:pa55word' }]
  const has = [{ type: 'cookie', key: 'x' }]
  assertClosed('/vercel.json', vercel({ source: '/members/(.*)', headers: password, has }))
  assertClosed('/vercel.json', vercel({ source: '/members/(.*)', headers: [...password, { key: 'X' }] }))
  assertClosed('/vercel.json', vercel({ source: '/(a|b)', headers: password }), '/*')
})

test('a path with a fragment is refused, and closed if it has a password', () => {
  const toml = (values: string) => `[[headers]]\nfor = "/members/*#x"\n[headers.values]\n${values}`
  for (const [file, text] of [
    ['/_headers', '/members/*#x\n  X-A: 1'],
    ['/netlify.toml', toml('X-A = "1"')],
    ['/masthead.json', '{"redirects":[{"from":"/members/*#x","to":"/"}]}'],
    ['/vercel.json', '{"redirects":[{"source":"/members/:a#x","destination":"/"}]}'],
  ] as const) {
    const { rules, protections, findings } = read(file, text)
    assert.deepEqual([rules, protections], [{ redirects: [], headers: [] }, []], text)
    assert.match(findings[0]?.message ?? '', /Browsers do not send what follows #/, text)
    assert.equal(findings.length, 1)
  }
  assertClosed('/_headers', '/members/*#x\n  X-A: 1\n  Basic-Auth: mia:pa55word')
  assertClosed('/netlify.toml', toml('X-A = "1"\nBasic-Auth = "mia:pa55word"'))
  assertClosed('/masthead.json', '{"protect":[{"for":"/members/* # staff","password":"pa55word"}]}')
})

test('a name that is there twice is reported with its line', () => {
  const { findings } = read('/masthead.json', '{"redirects":[\n{"from":"/a",\n"from":"/b","to":"/c"}]}')
  assert.deepEqual(
    findings.map(({ line, message }) => [line, message]),
    [[3, '"from" is there twice. Remove one: only the last is used.']],
  )
})

test('a file is read alike in UTF-8 and in UTF-16, with or without a byte order mark', () => {
  const toml = '[[headers]]\nfor = "/ü"\n[headers.values]\nBasic-Auth = "mia:pa55wörd"\n'
  for (const [file, text] of [
    ['/_headers', '/ü\r\n  Basic-Auth: mia:pa55wörd\r\n'],
    ['/netlify.toml', toml],
    ['/masthead.json', '{"protect": {"for": "/ü", "users": {"mia": "pa55wörd"}}}'],
    [
      '/vercel.json',
      '{"headers": [{"source": "/ü", "headers": [{"key": "Basic-Auth", "value": "mia:pa55wörd"}]}]}',
    ],
  ] as const) {
    const little = Buffer.from(`\ufeff${text}`, 'utf16le')
    const big = Buffer.from(little).swap16()
    for (const content of [little, big, little.subarray(2), big.subarray(2), Buffer.from(`\ufeff${text}`)]) {
      const { protections } = readSiteRules(new Map([[file, content]]), () => false)
      const read = protections.map(({ from, credentials }) => [from, credentials])
      assert.deepEqual(read, [['/ü', [{ user: 'mia', password: 'pa55wörd' }]]], file)
    }
  }
})

test('what Windows PowerShell appended in UTF-16 is read', () => {
  for (const [before, appended] of [
    ['/a\n  X-A: 1\n', '/members/*\r\n  Basic-Auth: mia:pa55word\r\n'],
    ['/members/*\n', '  Basic-Auth: mia:pa55word\r\n'],
  ] as const) {
    const content = Buffer.concat([Buffer.from(before), Buffer.from(appended, 'utf16le')])
    const { protections, findings } = readSiteRules(new Map([['/_headers', content]]), () => false)
    const read = protections.map(({ from, credentials }) => [from, credentials])
    assert.deepEqual(read, [['/members/*', [{ user: 'mia', password: 'pa55word' }]]])
    assert.deepEqual(findings, [])
  }
  const content = Buffer.concat([
    Buffer.from('/members/*\n'),
    Buffer.from('  Basic-Auth: mia:pa55wörd', 'utf16le'),
  ])
  const { protections } = readSiteRules(new Map([['/_headers', content]]), () => false)
  assert.deepEqual(protections, [{ line: 1, from: '/members/*', credentials: [] }])
})

test('a document that is not UTF-8 is reported with its line', () => {
  for (const [file, text] of [
    ['/netlify.toml', '[[redirects]]\nfrom = "/über"\nto = "/x"\n'],
    ['/vercel.json', '{"redirects": [\n{"source": "/über", "destination": "/x"}]}'],
    ['/masthead.json', '{"redirects": [\n{"from": "/über", "to": "/x"}]}'],
  ] as const) {
    const { findings } = readSiteRules(new Map([[file, Buffer.from(text, 'latin1')]]), () => false)
    const told = findings.filter(({ message }) => /not valid UTF-8/.test(message))
    assert.deepEqual(
      told.map(({ line, level }) => [line, level]),
      [[2, 'warning']],
      file,
    )
    assert.deepEqual(
      read(file, text).findings.filter(({ message }) => /UTF-8/.test(message)),
      [],
    )
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSiteRules } from './read-site-rules.ts'
import type { RuleFile } from './rules.ts'

function findingsOf(files: { [F in RuleFile]?: string }) {
  const contents = Object.entries(files).map(
    ([file, text]) => [file, new TextEncoder().encode(text)] as const,
  )
  const { findings } = readSiteRules(new Map(contents as [RuleFile, Uint8Array][]), () => false)
  return findings.map(({ file, line, message }) => `${file} ${line} ${message}`)
}

const toml = (path: string, name: string, value: string) =>
  `[[headers]]\nfor = "${path}"\n[headers.values]\n${name} = "${value}"\n`

test('two files that set a header with one value are reported, with the one that applies', () => {
  for (const [headers, other] of [
    ['/*\n  X-Frame-Options: DENY', toml('/*', 'x-frame-options', 'SAMEORIGIN')],
    ['/*\n  X-Frame-Options: DENY', toml('/embed/*', 'X-Frame-Options', 'SAMEORIGIN')],
    ['/*\n  X-A: 1\n  X-Frame-Options: DENY', toml('/embed/one', 'X-Frame-Options', 'SAMEORIGIN')],
  ] as const) {
    const [finding = '', ...more] = findingsOf({ '/_headers': headers, '/netlify.toml': other })
    assert.match(finding, /^\/netlify.toml 1 _headers sets x-frame-options for "\/\*", which applies/i)
    assert.deepEqual(more, [])
  }
})

test('two files whose values are joined are reported', () => {
  const [finding = ''] = findingsOf({
    '/_headers': '/*\n  X-A: 1',
    '/netlify.toml': toml('/*', 'X-A', '2'),
  })
  assert.match(finding, /_headers also sets X-A for "\/\*"\. Visitors get both values/)
})

test('the same value twice is no clash, nor are rules of one file or for other paths', () => {
  for (const files of [
    { '/_headers': '/*\n  X-Frame-Options: DENY', '/netlify.toml': toml('/*', 'X-Frame-Options', 'DENY') },
    { '/_headers': '/*\n  X-A: 1', '/netlify.toml': toml('/*', 'X-A', '1') },
    { '/_headers': '/*\n  X-Frame-Options: DENY\n/embed/*\n  X-Frame-Options: SAMEORIGIN' },
    {
      '/_headers': '/embed/*\n  X-Frame-Options: DENY\nhttps://acme.com/*\n  X-Frame-Options: DENY',
      '/netlify.toml': toml('/*', 'X-Frame-Options', 'SAMEORIGIN'),
    },
    { '/_headers': '/*\n  ! X-Frame-Options', '/netlify.toml': toml('/a', 'X-Frame-Options', 'DENY') },
  ]) {
    assert.deepEqual(findingsOf(files), [])
  }
})

test('a path is spelled out once, however many headers it has', (context) => {
  const values = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, '1']))
  for (const [count, isTooMuch] of [
    [80, false],
    [30_000, true],
  ] as const) {
    const file = JSON.stringify({ headers: [{ for: `/${'a/'.repeat(900)}`, values: values(count) }] })
    const spell = context.mock.method(JSON, 'stringify')
    const contents = new Map([['/masthead.json' as const, new TextEncoder().encode(file)]])
    const { excess } = readSiteRules(contents, () => false)
    assert.equal(excess !== null, isTooMuch)
    assert.ok(spell.mock.callCount() < 10, `${spell.mock.callCount()} times`)
    spell.mock.restore()
  }
})

const lines = (count: number, line: (id: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

function excessOf(files: { [F in RuleFile]?: string }): string | null {
  const contents = Object.entries(files).map(
    ([file, text]) => [file, new TextEncoder().encode(text)] as const,
  )
  return readSiteRules(new Map(contents as [RuleFile, Uint8Array][]), () => false).excess
}

test('more headers for a path than clients accept are refused, whatever rules they are from', () => {
  const sixty = lines(60, (id) => ` A${id}: b`)
  const others = lines(60, (id) => ` B${id}: b`)
  for (const [headers, where] of [
    [`/*\n${sixty}\n${others}`, '_headers line 1: answers at "/*"'],
    [`/*\n${sixty}\n/a\n${others}`, '_headers line 62: answers at "/a"'],
    [`/img-:id.png\n${sixty}\n/:file\n${others}`, '_headers line 1: answers at "/img-:id.png"'],
    [`https://:x.example/a*\n${sixty}\n/*\n${others}`, '_headers line 1: answers at "https://:x.example/a*"'],
    [`/*\n${lines(81, (id) => ` Set-Cookie: ${id}=1`)}`, '_headers line 1: answers at "/*"'],
    [`/*\n${lines(2, (id) => ` A: ${id}${'x'.repeat(7_700)}`)}`, '_headers line 1: answers at "/*"'],
  ] as const) {
    assert.ok(excessOf({ '/_headers': headers })?.startsWith(`${where} would get too many headers`), where)
  }
  const file = `[[headers]]\nfor = "/a"\n[headers.values]\n${lines(21, (id) => `B${id} = "b"`)}\n`
  assert.match(
    excessOf({ '/_headers': `/*\n${sixty}`, '/netlify.toml': file }) ?? '',
    /^netlify\.toml line 1: /,
  )
})

test('as many headers as clients accept are no excess, and neither are those for other paths', () => {
  const eighty = lines(80, (id) => ` A${id}: b`)
  for (const headers of [
    `/*\n${eighty}`,
    `/*\n${eighty}\n/a*\n${eighty.replaceAll('b', 'c')}`,
    lines(20, (id) => `/${id}/*\n${eighty}`),
    `https://one.example/*\n${eighty}\nhttps://two.example/*\n${eighty.replaceAll('A', 'B')}`,
    `/*\n${lines(2, (id) => ` A: ${id}${'x'.repeat(7_600)}`)}`,
    lines(7, (id) => `/${id}\n A: ${'x'.repeat(7_600)}`),
  ]) {
    assert.equal(excessOf({ '/_headers': headers }), null)
  }
})

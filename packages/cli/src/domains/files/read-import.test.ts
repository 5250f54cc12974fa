import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImport } from './read-import.ts'

const namesIn = (file: string, text: string) => readImport(file, text).names

test('a CNAME file and a list have one name on each line', () => {
  assert.deepEqual(namesIn('CNAME', 'www.acme.com\n'), ['www.acme.com'])
  const list =
    '\ufeffacme.com\r\n# ours\r\n https://WWW.Acme.com/shop \nacme.com. ; twice\n\nbücher.example, a.example\n*.Acme.com\n'
  assert.deepEqual(namesIn('names.txt', list), [
    'acme.com',
    'www.acme.com',
    'bücher.example',
    'a.example',
    '*.acme.com',
  ])
})

test('what has no dot is left out and named with its line', () => {
  const { names, leftOut } = readImport(
    'toString',
    'acme.com\r\n\r\nacme # ours, and only.ours\nwww, a.example\n',
  )
  assert.deepEqual(names, ['acme.com', 'a.example'])
  assert.deepEqual(leftOut, [
    { text: 'acme', line: 3 },
    { text: 'www', line: 4 },
  ])
  assert.deepEqual(readImport('vercel.json', '{"alias": ["acme.com", "acme"]}').leftOut, [
    { text: 'acme', line: null },
  ])
  const many = Array.from({ length: 25 }, (_, index) => `n${index}`).join('\n')
  assert.throws(() => readImport('list.txt', many), {
    code: 'import_empty',
    message:
      /^list\.txt names no domain\.\nLeft out: line 1, "n0"\. A domain has a dot\.\n[\s\S]*\n… and 5 more\.$/,
  })
})

test('netlify.toml has the hosts of its redirects', () => {
  const text = `
[build]
publish = "dist"
[[redirects]]
from = "https://old.acme.com/*"
to = "https://www.acme.com/:splat"
[[redirects]]
from = "/a"
to = "/b"
[[redirects]]
from = "//blog.acme.com/x"
to = "/blog"
[[redirects]]
from = "https://*.acme.com/*"
to = "/tenants"
`
  assert.deepEqual(namesIn('site/netlify.toml', text), ['old.acme.com', 'blog.acme.com', '*.acme.com'])
  assert.throws(() => readImport('netlify.toml', '[build]\npublish = "dist"\n'), {
    code: 'import_empty',
    fix: /Netlify keeps domains in its dashboard/,
  })
})

test('vercel.json has aliases and hosts of rules, but no patterns', () => {
  const config = {
    alias: ['acme.com', 'www.acme.com', 7],
    redirects: [
      { source: '/', has: [{ type: 'host', value: 'old.acme.com' }], destination: '/' },
      {
        source: '/',
        has: [
          { type: 'host', value: '(?<sub>.*).acme.com' },
          { type: 'query', value: 'x.y' },
        ],
      },
      null,
    ],
  }
  assert.deepEqual(namesIn('vercel.json', JSON.stringify(config)), [
    'acme.com',
    'www.acme.com',
    'old.acme.com',
  ])
  assert.deepEqual(namesIn('vercel.json', '{"alias": "acme.com"}'), ['acme.com'])
})

test('a file that cannot be read is refused with what is wrong', () => {
  for (const [file, text] of [
    ['vercel.json', '{'],
    ['netlify.toml', '[['],
  ] as const) {
    assert.throws(() => readImport(file, text), { code: 'import_unreadable' })
  }
  for (const text of ['', 'null', '[]', '"x"'])
    assert.throws(() => readImport('vercel.json', text), { name: 'CommandError' })
  assert.throws(
    () => readImport('list', Array.from({ length: 1_001 }, (_, n) => `n${n}.example`).join('\n')),
    {
      code: 'import_too_long',
    },
  )
})

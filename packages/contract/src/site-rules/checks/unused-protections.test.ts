import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSiteRules } from '../read-site-rules.ts'
import type { RuleFile, SiteSettings } from '../rules.ts'

const files = new Set([
  '/index.html',
  '/about.html',
  '/members/index.html',
  '/members/list.html',
  '/files/a b.pdf',
])

function warningsOf(contents: Partial<Record<RuleFile, string>>, project: Partial<SiteSettings> = {}) {
  const encoder = new TextEncoder()
  const read = Object.entries(contents).map(
    ([file, text]) => [file as RuleFile, encoder.encode(text)] as const,
  )
  const { findings } = readSiteRules(new Map(read), (path) => files.has(path), { files, project })
  return findings.map(({ file, line, level, message }) => `${file}:${line} ${level} ${message}`)
}

const headers = (...paths: string[]) => paths.map((path) => `${path}\n  Basic-Auth: mia:pa55word\n`).join('')

test('a password for a path that no file and no rule has is reported', () => {
  for (const path of [
    '/member/*',
    '/members/:a/:b',
    '/abuot',
    '/About',
    '/about/*/x',
    '/*.doc',
    'https://acme.com/membres/*',
  ]) {
    const message = `There is no file "${path}" to protect. Check its name.`
    assert.deepEqual(warningsOf({ '/_headers': headers(path) }), [`/_headers:1 warning ${message}`])
    assert.deepEqual(warningsOf({ '/_headers': headers('/members/*', path) }), [
      `/_headers:3 warning ${message}`,
    ])
    const protect = [{ for: path, password: 'pa55word' }]
    assert.deepEqual(warningsOf({ '/masthead.json': JSON.stringify({ protect }) }), [
      `/masthead.json:1 warning ${message}`,
    ])
    const toml = `[[headers]]\nfor = "${path}"\n[headers.values]\nBasic-Auth = "mia:pa55word"\n`
    assert.deepEqual(warningsOf({ '/netlify.toml': toml }), [`/netlify.toml:1 warning ${message}`])
  }
})

test('a password for a path that a file has, under any spelling, is not', () => {
  for (const path of [
    '/*',
    '/',
    '/about',
    '/about/',
    '/about.html',
    '/members',
    '/members/',
    '/members/*',
    '/members/:name',
    '/members/list',
    '/files/a%20b.pdf',
    '/*.pdf',
    'https://acme.com/members/*',
  ]) {
    assert.deepEqual(warningsOf({ '/_headers': headers(path) }), [], path)
  }
})

test('a password for a path that a rule has, or a view of an app, is not', () => {
  for (const [path, rule] of [
    ['/beta', '/beta /about 200'],
    ['/beta/', '/beta /about 200'],
    ['/beta/*', '/beta/:page /about 200'],
    ['/beta/*', '/beta/x /elsewhere 301'],
    ['/beta/:x', '/* /index.html 200'],
    ['/beta/x', '/:any/x /elsewhere 301'],
    ['/*/beta', '/x/* /elsewhere 301'],
  ] as const) {
    assert.deepEqual(warningsOf({ '/_headers': headers(path), '/_redirects': rule }), [], `${path} ${rule}`)
  }
  const other = { '/_headers': headers('/beta/*'), '/_redirects': '/alpha/* /elsewhere 301' }
  assert.equal(warningsOf(other).length, 1)
  assert.deepEqual(warningsOf({ '/_headers': headers('/beta/*') }, { singlePage: true }), [])
  assert.deepEqual(warningsOf({ '/_headers': headers('/beta/*'), '/masthead.json': '{"spa":true}' }), [])
})

test('a path without .html protects no page of a site that shows pages under their own names', () => {
  const warnings = (path: string) =>
    warningsOf({ '/_headers': headers(path) }, { htmlHandling: 'none' }).length
  for (const path of ['/about', '/members/list']) assert.equal(warnings(path), 1, path)
  for (const path of ['/about.html', '/members/list.html', '/members', '/members/', '/*', '/']) {
    assert.equal(warnings(path), 0, path)
  }
})

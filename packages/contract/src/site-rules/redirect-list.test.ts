import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSiteRules } from './read-site-rules.ts'
import type { RuleFile } from './rules.ts'

function read(files: { [F in RuleFile]?: string }) {
  const contents = Object.entries(files).map(
    ([file, text]) => [file, new TextEncoder().encode(text)] as const,
  )
  const { rules, findings } = readSiteRules(
    new Map(contents as [RuleFile, Uint8Array][]),
    (path) => path === '/index.html',
  )
  return {
    targets: rules.redirects.map(({ to }) => to),
    findings: findings.map(({ file, line, message }) => `${file} ${line} ${message}`),
  }
}

const vercel = (source: string) => JSON.stringify({ redirects: [{ source, destination: '/b' }] })

test('a forced rule for the path of an earlier rule is reported and never applies', () => {
  for (const rules of [
    '/old /a\n/old /b 301!',
    '/old /a 301!\n/old /b',
    '/old /a\n/old /b 301! Language=de',
  ]) {
    const { targets, findings } = read({ '/_redirects': rules })
    assert.deepEqual(targets, ['/a'])
    assert.deepEqual(findings, ['/_redirects 2 Line 1 already answers "/old". Remove one of them.'])
  }
  const { targets, findings } = read({ '/_redirects': '/old /a', '/vercel.json': vercel('/old') })
  assert.deepEqual(targets, ['/a'])
  assert.deepEqual(findings, ['/vercel.json 1 _redirects line 1 already answers "/old". Remove one of them.'])
})

test('a forced rule that an earlier pattern hides is reported, also within one file', () => {
  const within = read({ '/_redirects': '/* /index.html 200\n/old /a 301!\n/other /a' })
  assert.deepEqual(within.findings, [
    '/_redirects 2 Line 1 ("/*") answers first. Move this rule above it, or remove one.',
  ])
  const across = read({ '/_redirects': '/* /index.html 200', '/vercel.json': vercel('/old') })
  assert.deepEqual(across.findings, [
    '/vercel.json 1 _redirects line 1 ("/*") answers first. Move this rule there, or remove one.',
  ])
})

test('rules before a forced pattern are no clash', () => {
  const { targets, findings } = read({
    '/_redirects': '/old /a\n/lang /de 302 Language=de\n/* /index.html 200!',
  })
  assert.deepEqual([targets, findings], [['/a', '/de', '/index.html'], []])
})

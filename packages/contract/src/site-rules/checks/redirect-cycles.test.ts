import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HtmlHandling } from '../../project-settings.ts'
import { readSiteRules } from '../read-site-rules.ts'
import type { RuleFile } from '../rules.ts'

const site = ['/index.html', '/about.html', '/docs/index.html']
const encoder = new TextEncoder()

function findings(
  text: string,
  files = site,
  htmlHandling: HtmlHandling = 'auto',
  file: RuleFile = '/_redirects',
) {
  const paths = new Set(files)
  const facts = { project: { htmlHandling } }
  const read = readSiteRules(new Map([[file, encoder.encode(text)]]), (path) => paths.has(path), facts)
  return read.findings
}

const circular = /circles|leads back/
const cyclesOf = (...args: Parameters<typeof findings>) =>
  findings(...args).filter(({ message }) => circular.test(message))

test('a rule whose target leads back to its own path is reported', () => {
  for (const rule of [
    ...[
      '/about /about.html 301!',
      '/about /about/ 301!',
      '/about /about/index 302!',
      '/about/ /about.html 301!',
    ],
    ...['/ /index.html 302!', '/ /index 302!', '/docs/ /docs 301!', '/docs /docs/index.html 301!'],
    ...['/about /x/../about.html 301!', '/about /%61bout.html#top 301!'],
  ]) {
    const [finding, ...others] = cyclesOf(rule)
    assert.match(finding?.message ?? '', /leads back to the same address, so the rule is skipped/, rule)
    assert.deepEqual([finding?.line, finding?.level, others], [1, 'warning', []], rule)
  }
  const [dropping] = cyclesOf('/docs /docs/ 301!', site, 'drop-trailing-slash')
  assert.match(dropping?.message ?? '', /leads back/)
  const vercel = { redirects: [{ source: '/about', destination: '/about.html' }] }
  assert.equal(cyclesOf(JSON.stringify(vercel), site, 'auto', '/vercel.json').length, 1)
})

test('rules that lead to each other are reported once, with the way', () => {
  const [finding, ...others] = cyclesOf('/loop1 /loop2\n/loop2 /loop1')
  assert.deepEqual([finding?.line, finding?.level, others], [1, 'warning', []])
  assert.match(finding?.message ?? '', /^It leads in circles: "\/loop1", "\/loop2", "\/loop1"\./)
  for (const rules of [
    ...['/a /b/\n/b /a/', '/in /a\n/a /b?x=1\n/b /c\n/c /a', '/a /about.html 301!\n/about /a 301!'],
    ...['/a /b 301!\n/b /a', '/%61 /b\n/b /a#top'],
  ]) {
    assert.equal(cyclesOf(rules).length, 1, rules)
  }
  assert.equal(cyclesOf('/a /b\n/b /a\n/c /d\n/d /c').length, 2)
})

test('rules that come to an end are not reported', () => {
  for (const rules of [
    ...['/about /about.html', '/a /about.html 301!', '/docs /docs/ 301!', '/a /a/', '/a/ /a', '/a /b\n/b /c'],
    ...['/about /about.html 301!\n/about.html /x 301!', '/about /about.html?from=old 301!'],
    ...['/a /b\n/b https://other.example/a', '/a /b\n/b /a 302 Language=de', '/a /b\n/b x=1 /a'],
    ...['/a /b\n/b /about.html 200', '/a /b\n/b /index.html 404', 'https://a.example/a /b\n/b /a'],
    ...[
      '/about /b\n/b /about',
      '/:a /b\n/b /x',
      '/a/* /b/:splat\n/b/* /a/:splat',
      '/about /about/ 301!\n/about/ /index.html 200!',
    ],
  ]) {
    assert.deepEqual(cyclesOf(rules), [], rules)
  }
  assert.deepEqual(cyclesOf('/about /about.html 301!\n/ /index.html 301!', site, 'none'), [])
  assert.deepEqual(cyclesOf('/about /about.html 301!', ['/index.html']), [])
})

test('a circle of ten thousand rules is one short message, and each path is looked up a few times only', () => {
  const many = 10_000
  const circle = Array.from({ length: many }, (_, at) => `/r${at} /r${(at + 1) % many}`).join('\n')
  let lookups = 0
  const has = () => ++lookups < 0
  const content = new Map([['/_redirects' as const, encoder.encode(circle)]])
  const [finding, ...others] = readSiteRules(content, has).findings
  assert.deepEqual(others, [])
  assert.ok((finding?.message.length ?? 0) < 400)
  assert.ok(lookups < 20 * many, `${lookups} lookups`)
})

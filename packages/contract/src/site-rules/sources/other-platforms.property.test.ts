import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { indexRules } from '../index-rules.ts'
import { readSiteRules } from '../read-site-rules.ts'
import { type RuleFile, ruleFiles } from '../rules.ts'

const random = createRandom(27)
const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
const words = [
  ...['/a', '/', '//', '/:a', '/:a*', '/(.*)', '/*', '$1', ':splat', '//evil.example', '/\\evil.example'],
  ...[
    'https://a.example/',
    'https://:a.example/',
    'https://a.example:$1',
    '\\.',
    '(',
    ')',
    '?',
    '%',
    '%2f',
    '\0',
  ],
  ...[
    'é',
    '\ud800',
    '\n',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    'a=b',
    'X-A',
    'Set-Cookie',
    '__proto__',
    'constructor',
  ],
]
const text = () => Array.from({ length: random(4) }, () => pick(words)).join('')
const names = [
  ...['from', 'to', 'source', 'destination', 'status', 'statusCode', 'force', 'query', 'conditions', 'has'],
  ...[
    'missing',
    'headers',
    'for',
    'values',
    'key',
    'value',
    'language',
    'type',
    'permanent',
    'x',
    '__proto__',
  ],
]

function value(depth: number): unknown {
  const kind = random(depth === 0 ? 8 : 12)
  if (kind < 5) return text()
  if (kind < 8) return pick([200, 301, 404, true, false, null, -1, 1.5, 'query', 'host'])
  if (kind < 10) return Array.from({ length: random(3) }, () => value(depth - 1))
  return Object.fromEntries(Array.from({ length: random(6) }, () => [pick(names), value(depth - 1)]))
}

const members = [
  ...['redirects', 'redirects', 'redirects', 'rewrites', 'rewrites', 'headers', 'headers'],
  'htmlHandling',
  'notFound',
  'spa',
  'cleanUrls',
  'routes',
]
const place = () => pick(['/', '', '/a/', 'https://a.example/']) + text()

/** One that may be used, or nearly so. */
function entry(): object {
  const base = pick<() => object>([
    () => ({ from: place(), to: place() }),
    () => ({ source: place(), destination: place() }),
    () => ({ for: place(), values: { 'X-A': text() } }),
    () => ({ source: place(), headers: [{ key: 'X-A', value: text() }] }),
    () => ({}),
  ])()
  const more = Array.from({ length: Math.max(0, random(4) - 1) }, () => [pick(names), value(2)])
  return { ...base, ...Object.fromEntries(more) }
}

function json(): string {
  const whole = Array.from({ length: random(4) }, () => [
    pick(members),
    random(4) === 0 ? value(2) : Array.from({ length: random(3) }, entry),
  ])
  return JSON.stringify(Object.fromEntries(whole))
}

function toml(): string {
  const tables = Array.from({ length: random(4) }, () => {
    const lines = Object.entries(entry()).map(([name, one]) => {
      const isPlain = typeof one !== 'object'
      return `${name} = ${isPlain ? JSON.stringify(one) : '{ Language = ["de"] }'}`
    })
    return [`[[${pick(['redirects', 'headers', 'x'])}]]`, ...lines].join('\n')
  })
  return tables.join('\n')
}

test('no content of a rules file is an error of the server, or leads visitors to a host that it does not name', async () => {
  const damage = (whole: string) => {
    if (random(4) > 0) return whole
    const at = random(whole.length + 1)
    return whole.slice(0, at) + text() + whole.slice(at + random(5))
  }
  let used = 0
  for (let times = 0; times < 2_000; times++) {
    const contents = ruleFiles
      .filter(() => random(2) === 0)
      .map((file): [RuleFile, Uint8Array] => {
        const content = damage(file === '/netlify.toml' ? toml() : json())
        return [file, new TextEncoder().encode(content)]
      })
    const { rules, findings } = readSiteRules(new Map(contents), (path) => path === '/a')
    for (const { line, message } of findings) {
      assert.ok(message.length < 600 && (line === null || line > 0), message)
    }
    used += rules.redirects.length
    const { redirects, headers } = (await indexRules(rules)) ?? {}
    const indexed = (redirects?.size ?? 0) + (headers?.size ?? 0)
    assert.equal(indexed, rules.redirects.length + rules.headers.length)
    for (const path of ['/', '/a', '/evil.example', '/a/b', `/${pick(words)}`]) {
      const request = { path, hostname: 'me.example', query: '?x=//evil.example', acceptLanguage: 'de' }
      const answer = redirects?.match(request)?.answer
      if (answer?.kind === 'redirect') {
        assert.match(answer.location, /^[!-~]+$/)
        const { hostname } = new URL(answer.location, 'https://me.example/')
        assert.ok(['me.example', 'a.example'].includes(hostname), `${answer.rule.to} ${answer.location}`)
      }
      for (const { values } of headers?.changesFor([path], 'me.example')?.set.values() ?? []) {
        for (const one of values) assert.match(one, /^[\t -~]+$/)
      }
    }
  }
  assert.ok(used > 30, `${used} rules`)
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { capture, segmentsOf } from './match-pattern.ts'
import { parsePattern } from './pattern.ts'
import { type Indexed, PatternIndex } from './pattern-index.ts'

/** What a pattern captures, both directly and by way of the index. */
function match(from: string, path: string): Record<string, string> | null {
  const pattern = parsePattern(from)
  if (typeof pattern === 'string') assert.fail(`${from}: ${pattern}`)
  const found = capture(pattern, segmentsOf(path), 'site.example')
  const index = new PatternIndex<Indexed>()
  index.add({ pattern, order: 0 })
  assert.equal(index.match(path, 'site.example').length === 1, found !== null, `${from} ${path}`)
  return found === null ? null : { ...found }
}

test('a pattern matches whole paths, and captures what its placeholders stand for', () => {
  for (const [from, path, captured] of [
    ['/a', '/a', {}],
    ['/a', '/a/', null],
    ['/a', '/A', null],
    ['/a/', '/a/', {}],
    ['//a///b', '/a/b', {}],
    ['/a#top', '/a', {}],
    [' /a\t', '/a', {}],
    ['/a/*\u00a0\u200b', '/a/b', { splat: 'b' }],
    ['/a/* # all', '/a/b', { splat: 'b' }],
    ['/a%20', '/a ', {}],
    ['/a b', '/a b', {}],
    ['https://site.example/x ', '/x', {}],
    ['/', '/', {}],
    ['/*', '/', { splat: '' }],
    ['/*', '/a/b/', { splat: 'a/b/' }],
    ['/a/*', '/a', null],
    ['/a/*', '/a/', { splat: '' }],
    ['/a*', '/a/b', { splat: '/b' }],
    ['/a*', '/abc', { splat: 'bc' }],
    ['/*.jpg', '/x/y.jpg', { splat: 'x/y' }],
    ['/*.jpg', '/.jpg', { splat: '' }],
    ['/*.jpg', '/jpg', null],
    ['/ab*ba', '/aba', null],
    ['/ab*ba', '/abba', { splat: '' }],
    ['/*/end', '/end', null],
    ['/*/end', '/a/b/end', { splat: 'a/b' }],
    ['/*/:last', '/a/b/c', { splat: 'a/b', last: 'c' }],
    ['/*/:last', '/a/', null],
    ['/:a', '/', null],
    ['/:a', '/x', { a: 'x' }],
    ['/:a/:b', '/x/y', { a: 'x', b: 'y' }],
    ['/:y-:m.html', '/2026-11.html', { y: '2026', m: '11' }],
    ['/:y-:m.html', '/2026-.html', null],
    ['/:y-:m.html', '/a-b-c.html', { y: 'a', m: 'b-c' }],
    ['/p:id', '/p', null],
    ['/p:id', '/p7', { id: '7' }],
    ['/:id.html', '/.html', null],
    ['/a:1', '/a:1', {}],
    ['/caf%C3%A9', '/café', {}],
    ['/cafe%CC%81', '/café', {}],
    ['https://site.example/x', '/x', {}],
    ['https://SITE.example', '/', {}],
    ['http://:sub.example/x', '/x', { sub: 'site' }],
    ['https://other.example/x', '/x', null],
    ['/__proto__/:constructor', '/__proto__/x', { constructor: 'x' }],
  ] as const) {
    assert.deepEqual(match(from, path), captured as Record<string, string> | null, `${from} ${path}`)
  }
})

test('rules are found in the order of the file, however they are indexed', () => {
  const index = new PatternIndex<Indexed & { from: string }>()
  const patterns = [
    '/*',
    '/a/:x',
    '/a/b',
    'https://site.example/a/b',
    '/a/b:x',
    '/:x/b',
    '/a/*',
    '/z',
    'https://:s.example/*',
  ]
  for (const [order, from] of patterns.entries()) {
    const pattern = parsePattern(from)
    if (typeof pattern !== 'string') index.add({ from, pattern, order })
  }
  const found = (path: string, host = 'site.example') => index.match(path, host).map(({ from }) => from)
  assert.deepEqual(found('/a/b'), [
    '/*',
    '/a/:x',
    '/a/b',
    'https://site.example/a/b',
    '/:x/b',
    '/a/*',
    'https://:s.example/*',
  ])
  assert.deepEqual(found('/a/bc', 'else.where'), ['/*', '/a/:x', '/a/b:x', '/a/*'])
  assert.deepEqual(found('/z', ''), ['/*', '/z'])
})

test('hostile patterns and paths take one look at each rule', () => {
  const index = new PatternIndex<Indexed>()
  for (let order = 0; order < 1_000; order++) {
    const pattern = parsePattern(
      `${'/:a'.replace('a', `a${order}`)}${Array.from({ length: 18 }, (_, n) => `/x:n${n}`).join('')}/${order}*z`,
    )
    if (typeof pattern === 'string') assert.fail(pattern)
    index.add({ pattern, order })
  }
  // Would not end if each level doubled the work.
  for (const path of [
    `/${'x'.repeat(8_000)}`,
    '/xx'.repeat(2_500),
    `/a${'/xx'.repeat(18)}/${'9'.repeat(6_000)}`,
  ]) {
    for (let times = 0; times < 200; times++) index.match(path, 'site.example')
  }
})

/** How many tables are looked into to match a path: one per node that is visited. */
function lookups(context: TestContext, index: PatternIndex<Indexed>, path: string): number {
  const { mock } = context.mock.method(Map.prototype, 'get')
  index.match(path, 'site.example')
  const count = mock.callCount()
  mock.restore()
  return count
}

function indexOf(patterns: readonly string[]): PatternIndex<Indexed> {
  const index = new PatternIndex<Indexed>()
  for (const [order, from] of patterns.entries()) {
    const pattern = parsePattern(from)
    if (typeof pattern === 'string') assert.fail(`${from}: ${pattern}`)
    index.add({ pattern, order })
  }
  return index
}

test('the last of many rules takes as much work as the first', (context) => {
  const statics = indexOf(Array.from({ length: 10_000 }, (_, at) => `/old/${at}`))
  for (const path of ['/old/0', '/old/9999', '/none']) assert.equal(lookups(context, statics, path), 1, path)
  const dynamics = indexOf(Array.from({ length: 1_000 }, (_, at) => `/p${at}/:id/*`))
  const first = lookups(context, dynamics, '/p0/7/a')
  assert.equal(lookups(context, dynamics, '/p999/7/a'), first)
  assert.ok(lookups(context, dynamics, '/none/7/a') <= first)
})

test('the work grows with the path at most as fast as the path, and ends with the rules', (context) => {
  const names = Array.from({ length: 20 }, (_, at) => `:a${at}`)
  // Each level offers a literal and a placeholder, so that a careless search would double its work at each.
  const forks = indexOf(
    names.flatMap((_, depth) => [
      `/${names.slice(0, depth + 1).join('/')}/end`,
      `${'/x'.repeat(depth + 1)}/:last`,
    ]),
  )
  const worst = (depth: number) => lookups(context, forks, '/x'.repeat(depth))
  for (const depth of [1, 2, 4, 8, 16]) assert.ok(worst(2 * depth) <= 2 * worst(depth) + 4, `${depth}`)
  assert.equal(worst(4_000), worst(40))
})

test('the host of a rule is compared with those of the others in one look', (context) => {
  const hosts = Array.from({ length: 300 }, (_, at) => `https://:a.b${at}.example/x`)
  const spell = context.mock.method(JSON, 'stringify')
  const index = indexOf([...hosts, ...hosts])
  assert.equal(spell.mock.callCount(), 2 * hosts.length)
  spell.mock.restore()
  assert.equal(index.match('/x', 'a.b7.example').length, 2)
})

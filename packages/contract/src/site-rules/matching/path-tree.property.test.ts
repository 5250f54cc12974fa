import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { capture, segmentsOf } from '../match-pattern.ts'
import { type Pattern, parsePattern } from '../pattern.ts'
import { PatternIndex } from '../pattern-index.ts'
import { MatchBudget, MatchBudgetError, workPerSegment } from './match-budget.ts'

const random = createRandom(7)
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T

const literals = ['a', 'ab', 'b', 'a.b', 'é', 'a b', '__proto__']
const templates = [':x', ':x.b', 'a:x', ':x-:y', 'a:x-:y']
const ends = ['', '/', '/*', '/a*', '/*b', '/*/b', '/*/:z', '/a*b/a/b']
const hosts = ['', '', '', 'https://a.example', 'https://:s.example']
const hostnames = ['a.example', 'b.example', 'else.where']

function segments(most: number, kinds: readonly (readonly string[])[]): string {
  return Array.from({ length: random(most + 1) }, () => `/${oneOf(oneOf(kinds))}`).join('')
}

/** Placeholders are numbered, because none may be there twice. */
function randomPattern(): string {
  let count = 0
  const path = segments(6, [literals, literals, literals, templates]) + oneOf(ends)
  return oneOf(hosts) + (path || '/').replace(/:([xyz])/g, (_, name) => `:${name}${count++}`)
}

function randomPath(): string {
  return `${segments(8, [literals, literals, ['ab-b', 'b.b', '', 'x']])}${oneOf(['', '/', '/b'])}` || '/'
}

function randomPatterns(count: number): Pattern[] {
  return Array.from({ length: count }, () => {
    const from = randomPattern()
    const pattern = parsePattern(from)
    return typeof pattern === 'string' ? assert.fail(`${from}: ${pattern}`) : pattern
  })
}

function indexOf(patterns: readonly Pattern[]) {
  const index = new PatternIndex<{ pattern: Pattern; order: number }>()
  for (const [order, pattern] of patterns.entries()) index.add({ pattern, order })
  return index
}

test('an index finds the patterns that match when each is compared on its own', () => {
  let found = 0
  for (let round = 0; round < 400; round++) {
    const patterns = randomPatterns(1 + random(60))
    const index = indexOf(patterns)
    for (let times = 0; times < 20; times++) {
      const [path, hostname] = [randomPath(), oneOf(hostnames)]
      const expected = patterns.flatMap((pattern, order) =>
        capture(pattern, segmentsOf(path), hostname) === null ? [] : [order],
      )
      const orders = index.match(path, hostname).map(({ order }) => order)
      assert.deepEqual(orders, expected, `${path} at ${hostname}, round ${round}`)
      found += expected.length
    }
  }
  assert.ok(found > 5_000, `${found} found`)
})

/** How much of its budget a path uses up. */
function workOf(patterns: readonly Pattern[], path: string): number {
  const work = 100_000
  const budget = new MatchBudget(work)
  indexOf(patterns).match(path, '', budget)
  for (let left = 0; ; left++) {
    try {
      budget.spend(1)
    } catch (error) {
      assert.ok(error instanceof MatchBudgetError)
      return work - left + 1
    }
  }
}

test('each literal segment takes the same work, whatever patterns share it', () => {
  const literal = (length: number, end: string) => {
    const pattern = parsePattern(`${'/a'.repeat(length)}${end}`)
    return typeof pattern === 'string' ? assert.fail(pattern) : pattern
  }
  const path = `${'/a'.repeat(30)}/x`
  const alone = workOf([literal(30, '/:x')], path)
  assert.equal(alone, 32 * 2 * workPerSegment)
  const shorter = Array.from({ length: 29 }, (_, at) => literal(at + 1, '/b/:x'))
  for (const patterns of [
    [literal(30, '/:x'), ...shorter],
    [...shorter, literal(30, '/:x')],
  ]) {
    assert.equal(workOf(patterns, path), alone)
  }
  for (let round = 0; round < 50; round++) {
    const [patterns, asked] = [randomPatterns(30), randomPath()]
    assert.equal(workOf(patterns.toReversed(), asked), workOf(patterns, asked), asked)
  }
})

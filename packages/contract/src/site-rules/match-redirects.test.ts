import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RedirectMatcher } from './match-redirects.ts'
import type { RedirectRule } from './rules.ts'

const count = 200
const name = 'a'.repeat(count)

/** Rules that all apply to the same path. */
function rulesFor(rule: (at: number) => Partial<RedirectRule>): RedirectRule[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ line: at + 1, from: `/${'a'.repeat(at + 1)}*`, to: '/elsewhere', status: 301 as const },
    ...rule(at),
  }))
}

const visit = { path: `/${name}`, hostname: 'acme.com', acceptLanguage: undefined }

test('the query is read once, however many rules look at it', (context) => {
  const matcher = new RedirectMatcher(rulesFor((at) => ({ query: [[`missing${at}`, '1']] })))
  const read = { pairs: 0 }
  const Original = globalThis.URLSearchParams
  class Counted extends Original {
    constructor(init?: ConstructorParameters<typeof Original>[0]) {
      super(init)
      read.pairs++
    }
  }
  context.after(() => {
    globalThis.URLSearchParams = Original
  })
  globalThis.URLSearchParams = Counted
  assert.equal(matcher.match({ ...visit, query: `?${'a=1&'.repeat(50)}missing=1` }), null)
  assert.equal(read.pairs, 51)
})

test('a condition on a parameter that is there twice reads the first, and two of the same name never hold', () => {
  const at = (query: RedirectRule['query']) =>
    new RedirectMatcher([{ line: 1, from: '/st', query: query ?? [], to: '/to/:id', status: 301 }]).match({
      ...{ ...visit, path: '/st', query: '?id=1&b=2&id=3' },
    })?.answer
  assert.deepEqual(
    { ...at([['id', ':id']]), rule: null },
    { kind: 'redirect', location: '/to/1?b=2', rule: null },
  )
  assert.equal(at([['id', '3']]), undefined)
  assert.equal(
    at([
      ['id', ':id'],
      ['id', ':other'],
    ]),
    undefined,
  )
})

test('where rules lead back to a page, the rules at their target are looked at once', (context) => {
  const files = {
    canShow: () => true,
    canonicalPathOf: (path: string) => (path === `/${name}.html` ? `/${name}` : null),
  }
  const rules = rulesFor((at) => ({ to: `/${name}.html#${at}`, force: true }))
  const matcher = new RedirectMatcher(rules, null, files)
  const reasons: string[] = []
  const parse = context.mock.method(URL, 'parse')
  assert.equal(
    matcher.match({ ...visit, query: '?a=1' }, (_, why) => reasons.push(why)),
    null,
  )
  assert.deepEqual(reasons, Array(count).fill('Its target leads back to this address.'))
  assert.equal(parse.mock.callCount(), 2 * count)
})

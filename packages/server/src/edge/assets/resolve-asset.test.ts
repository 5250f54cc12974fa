import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type HtmlHandling, htmlHandlingNames } from '@masthead/contract/project-settings.ts'
import fc from 'fast-check'
import { resolveAsset } from './resolve-asset.ts'

const site = new Set([
  '/index.html',
  '/404.html',
  '/about.html',
  '/docs/index.html',
  '/docs/404.html',
  '/docs/deep/page.html',
  '/both.html',
  '/both/index.html',
  '/plain',
  '/plain.html',
  '/style.css',
  '/a b.html',
  '/café.html',
])

/** `→` is a redirect, `404` not found, anything else the file that answers. */
function outcome(
  htmlHandling: HtmlHandling,
  path: string,
  paths = site,
  singlePage = false,
  isNavigation = true,
): string {
  const decision = resolveAsset(paths, { htmlHandling, singlePage }, path, isNavigation)
  if (decision.kind === 'file') {
    return decision.canonical === undefined ? decision.path : `${decision.path} of ${decision.canonical}`
  }
  return decision.kind === 'redirect' ? `→ ${decision.location}` : `404 ${decision.page}`
}

const anyMode: [path: string, outcome: string][] = [
  ['/', '/index.html'],
  ['/style.css', '/style.css'],
  ['/%73tyle.css', '/style.css'],
  ['/plain', '/plain'],
  ['/missing', '404 /404.html'],
  ['/style.css/', '404 /404.html'],
  ['/STYLE.css', '404 /404.html'],
  ['/docs/missing', '404 /docs/404.html'],
  ['/docs/deep/missing', '404 /docs/404.html'],
  ['/docs/deep/er/missing/', '404 /docs/404.html'],
  ['/docs/../style.css', '404 /404.html'],
  ['/docs/%2e%2e/style.css', '404 /404.html'],
  ['/docs%2findex.html', '404 /404.html'],
  ['/style.css%00', '404 /404.html'],
  ['/%E0%A4%A', '404 /404.html'],
  ['//style.css', '→ /style.css'],
  ['//evil.example', '404 /404.html'],
  ['//evil.example/..', '404 /404.html'],
]

const byMode: Record<HtmlHandling, [path: string, outcome: string][]> = {
  auto: [
    ['/plain.html', '/plain.html'],
    ['/index.html', '→ /'],
    ['/index', '→ /'],
    ['/about', '/about.html'],
    ['/about.html', '→ /about'],
    ['/about/', '→ /about'],
    ['/about/index', '→ /about'],
    ['/about/index.html', '→ /about'],
    ['/docs/', '/docs/index.html'],
    ['/docs', '→ /docs/'],
    ['/docs.html', '→ /docs/'],
    ['/docs/index', '→ /docs/'],
    ['/docs/index.html', '→ /docs/'],
    ['/both', '/both.html'],
    ['/both.html', '→ /both'],
    ['/both/', '/both/index.html'],
    ['/both/index', '→ /both/'],
    ['/both/index.html', '→ /both/'],
    ['/a%20b', '/a b.html'],
    ['/a%20b.html', '→ /a%20b'],
    ['/caf%C3%A9', '/café.html'],
    ['/cafe%CC%81/', '→ /caf%C3%A9'],
    ['//docs', '→ /docs/'],
    ['//about', '→ /about'],
  ],
  'drop-trailing-slash': [
    ['/plain.html', '/plain.html'],
    ['/index.html', '→ /'],
    ['/index', '→ /'],
    ['/about', '/about.html'],
    ['/about.html', '→ /about'],
    ['/about/', '→ /about'],
    ['/about/index', '→ /about'],
    ['/docs', '/docs/index.html'],
    ['/docs/', '→ /docs'],
    ['/docs.html', '→ /docs'],
    ['/docs/index', '→ /docs'],
    ['/docs/index.html', '→ /docs'],
    ['/both', '/both.html'],
    ['/both/', '→ /both'],
    ['/both.html', '→ /both'],
    ['/both/index', '→ /both'],
    ['/both/index.html', '/both/index.html'],
  ],
  'force-trailing-slash': [
    ['/plain.html', '→ /plain/'],
    ['/index.html', '→ /'],
    ['/index', '→ /'],
    ['/about/', '/about.html'],
    ['/about', '→ /about/'],
    ['/about.html', '→ /about/'],
    ['/about/index', '→ /about/'],
    ['/about/index.html', '→ /about/'],
    ['/docs/', '/docs/index.html'],
    ['/docs', '→ /docs/'],
    ['/docs.html', '→ /docs/'],
    ['/docs/index.html', '→ /docs/'],
    ['/both/', '/both/index.html'],
    ['/both', '→ /both/'],
    ['/both.html', '/both.html'],
    ['/both/index', '→ /both/'],
  ],
  none: [
    ['/plain.html', '/plain.html'],
    ['/index.html', '/index.html'],
    ['/index', '404 /404.html'],
    ['/about', '404 /404.html'],
    ['/about.html', '/about.html'],
    ['/about/', '404 /404.html'],
    ['/docs/', '/docs/index.html'],
    ['/docs', '404 /404.html'],
    ['/docs/index.html', '/docs/index.html'],
    ['/both.html', '/both.html'],
    ['/both/', '/both/index.html'],
  ],
}

for (const mode of htmlHandlingNames) {
  describe(`with ${mode}`, () => {
    for (const [path, expected] of [...anyMode, ...byMode[mode]]) {
      test(`${path} gives ${expected}`, () => assert.equal(outcome(mode, path), expected))
    }
  })
}

describe('a fetch by a program', () => {
  for (const [path, expected] of [
    ['/index.html', '/index.html of /'],
    ['/about.html', '/about.html of /about'],
    ['/docs/index.html', '/docs/index.html of /docs/'],
    ['/caf%C3%A9.html', '/café.html of /caf%C3%A9'],
    ['/about', '/about.html'],
    ['/about/', '→ /about'],
    ['/docs', '→ /docs/'],
    ['//about.html', '→ /about.html'],
  ] as const) {
    test(`at ${path} gives ${expected}`, () => {
      assert.equal(outcome('auto', path, site, false, false), expected)
    })
  }
})

test('a single-page app answers navigations to its views, and nothing else', () => {
  const missing = ['/assets/none.js', '/robots.txt', '/img/a.PNG', '/.well-known/x', '/feed.xml', '/x.html']
  for (const path of missing) {
    assert.equal(outcome('auto', path, site, true), '404 /404.html', path)
    assert.equal(outcome('auto', path, site, true, false), '404 /404.html', path)
  }
  const domains = ['com', 'org', 'ai', 'me', 'in', 'pub', 'cc', 'sh', 'pl', 'so', 'rs', 'md', 'au']
  const addresses = domains.flatMap((domain) => [`/users/jane@example.${domain}`, `/sites/example.${domain}`])
  for (const path of ['/users/7', '/users/jane.doe', '/v1.2/notes', '/a%20b/c', '/a.js/b', ...addresses]) {
    assert.equal(outcome('auto', path, site, true), '/index.html', path)
    assert.equal(outcome('auto', path, site, true, false), '404 /404.html', path)
  }
})

test('a single-page app answers what no file answers, but never an invalid path', () => {
  assert.equal(outcome('auto', '/users/7', site, true), '/index.html')
  assert.equal(outcome('none', '/users/7/', site, true), '/index.html')
  assert.equal(outcome('auto', '/style.css', site, true), '/style.css')
  assert.equal(outcome('auto', '/about.html', site, true), '→ /about')
  assert.equal(outcome('auto', '/%2e%2e/x', site, true), '404 /404.html')
  assert.equal(outcome('auto', '/users/7', new Set(['/404.html']), true), '404 /404.html')
})

test('a site without 404.html has no page for missing paths', () => {
  assert.equal(outcome('auto', '/a/b/c', new Set(['/index.html'])), '404 null')
})

test('a very long path searches a bounded number of folders', () => {
  let asked = 0
  const counting = { has: () => ++asked < 0 }
  resolveAsset(counting, { htmlHandling: 'auto', singlePage: false }, '/a'.repeat(8000), true)
  assert.ok(asked < 600, `${asked} lookups`)
})

const word = fc.constantFrom(
  'a',
  'index',
  'index.html',
  'a.html',
  '.html',
  'html',
  'b',
  'é',
  '%',
  '..',
  '404.html',
)
const filePath = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `/${words.join('/')}`)
const request = fc.oneof(
  filePath.map((path) => encodeURI(path)),
  fc
    .array(
      fc.constantFrom('/', 'a', 'index', '.html', '.', '%2e', '%2f', '%5c', '%', 'b', 'é', '\\', '?', '#'),
    )
    .map((parts) => `/${parts.join('')}`),
  fc.string(),
)
const filePaths = fc.uniqueArray(filePath, { maxLength: 12 })
const settings = fc.record({ htmlHandling: fc.constantFrom(...htmlHandlingNames), singlePage: fc.boolean() })

test('for any path, a redirect stays on the host and leads directly to a file', () => {
  fc.assert(
    fc.property(filePaths, settings, request, fc.boolean(), (files, chosen, raw, isNavigation) => {
      const paths = new Set(files)
      const decision = resolveAsset(paths, chosen, raw, isNavigation)
      if (decision.kind === 'file') assert.ok(paths.has(decision.path))
      if (decision.kind === 'not-found' && decision.page !== null) assert.ok(paths.has(decision.page))
      if (decision.kind !== 'redirect') return
      assert.match(decision.location, /^\/(?![/\\])[\x21-\x7e]*$/)
      assert.equal(resolveAsset(paths, chosen, decision.location, isNavigation).kind, 'file')
    }),
    { numRuns: 5000 },
  )
})

test('every published file can be reached', () => {
  const plainFile = filePath.filter((path) => !path.includes('..'))
  fc.assert(
    fc.property(fc.uniqueArray(plainFile, { minLength: 1, maxLength: 8 }), settings, (files, chosen) => {
      const paths = new Set(files)
      for (const file of files) {
        const first = resolveAsset(paths, chosen, encodeURI(file), true)
        const last = first.kind === 'redirect' ? resolveAsset(paths, chosen, first.location, true) : first
        assert.deepEqual(last, { kind: 'file', path: file })
        const fetched = resolveAsset(paths, chosen, encodeURI(file), false)
        assert.ok(fetched.kind === 'file' && fetched.path === file)
      }
    }),
    { numRuns: 2000 },
  )
})

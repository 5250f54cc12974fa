import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSiteRules } from '../read-site-rules.ts'
import { showRules } from '../show-rules.ts'

const site = new Set(['/index.html', '/about.html', '/docs/index.html'])

function vercel(members: object) {
  const content = new TextEncoder().encode(JSON.stringify(members))
  return readSiteRules(new Map([['/vercel.json', content]]), (path) => site.has(path))
}

test('a parameter that would mean something else here is reported, and its rule is not used', () => {
  for (const [source, reason] of [
    ['/a/:b?', /^redirects\[0\]: The optional parameter :b\? is not supported/],
    ['/a/:b(.*)?', /optional parameter :b\(\.\*\)\?/],
    ['/a/(.*)?', /optional parameter \(\.\*\)\?/],
    ['/a-:b*', /:b\* does not start after a slash/],
    ['/a-:b+', /:b\+ does not start after a slash/],
    ['/a-:b(.*)+', /:b\(\.\*\)\+ does not start after a slash/],
    ['/a.:b*', /:b\* does not start after a slash/],
    ['/:a:b*', /:b\* does not start after a slash/],
    ['/a/:_b', /:_b does not start with a letter/],
    ['/a/:1', /:1 does not start with a letter/],
    ['/a/:1*', /:1 does not start with a letter/],
    ['/wiki/Talk:', /no name follows. Write a colon that is text as \\\\:/],
    ['/a/:b([^/]*)', /regular expression/],
    ['/a/:b(\\d+)+', /regular expression/],
  ] as const) {
    const headers = [{ key: 'X-A', value: '1' }]
    const { rules, findings } = vercel({
      redirects: [{ source, destination: '/b' }],
      rewrites: [{ source, destination: '/index.html' }],
      headers: [{ source, headers }],
    })
    assert.match(findings[0]?.message ?? '', reason, source)
    assert.deepEqual(
      findings.map(({ level }) => level),
      ['error', 'error', 'error'],
      source,
    )
    assert.deepEqual(rules, { redirects: [], headers: [] }, source)
  }
})

test('a redirect for what is below a page is reported if the page leads to it', () => {
  for (const source of ['/docs/:slug(.*)', '/docs/(.*)', '/docs/:slug(.*)+']) {
    const { findings } = vercel({ redirects: [{ source, destination: '/b' }] })
    const message =
      'redirects[0]: Here "/docs" leads to "/docs/", where the rule applies, so visitors do not get "/docs/index.html".'
    assert.deepEqual(
      findings.map((one) => [one.level, one.message]),
      [['warning', message]],
      source,
    )
  }
  const below = [{ source: '/docs/(.*)', destination: '/b' }]
  for (const members of [
    { redirects: [{ source: '/docs/:slug*', destination: '/b' }] },
    { redirects: [{ source: '/docs/:slug+', destination: '/b' }] },
    { redirects: [{ source: '/docs/(.+)', destination: '/b' }] },
    { redirects: [{ source: '/about/(.*)', destination: '/b' }] },
    { redirects: [{ source: '/(.*)', destination: 'https://b.example/$1' }] },
    { rewrites: [{ source: '/docs/(.*)', destination: '/index.html' }] },
    { redirects: below, trailingSlash: true, cleanUrls: true },
    { redirects: below, trailingSlash: false, cleanUrls: true },
  ]) {
    assert.deepEqual(vercel(members).findings, [], JSON.stringify(members))
  }
})

test('a rule is shown with what it needs', () => {
  const sources = ['/a/:x*', '/b/:x+', '/c/(.*)', '/d-(.+)', '/e/:x*.html']
  const { rules } = vercel({
    redirects: sources.map((source) => ({ source, destination: '/z' })),
    headers: [{ source: '/f/:x+', headers: [{ key: 'X-A', value: '1' }] }],
  })
  assert.deepEqual(
    showRules(rules).map(({ from }) => from),
    ['/a/*', '/b/(.+)', '/c/(.*)', '/d-(.+)', '/e/(.+).html', '/e.html', '/f/(.+)'],
  )
})

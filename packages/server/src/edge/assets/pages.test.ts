import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as pages from './pages.ts'
import type { Reply } from './reply.ts'

const all: [name: string, page: Reply, status: number][] = [
  ['an unknown host', pages.unknownHostPage('www.example.com'), 404],
  ['an unknown custom domain', pages.unknownDomainPage('www.example.com'), 404],
  ['a project with nothing published', pages.nothingPublishedPage({ slug: 'hello' }), 404],
  ['an empty branch', pages.nothingPublishedPage({ slug: 'hello', emptyBranch: '<next>' }), 404],
  ['a missing file', pages.notFoundPage, 404],
  ['another method', pages.methodNotAllowedPage, 405],
  ['an outage', pages.unavailablePage, 503],
  ['an address that takes too much work', pages.addressTooLongPage, 414],
  ['a bad request', pages.badRequestPage, 400],
  ['another scheme', pages.wrongSchemePage, 400],
  ['two hosts', pages.twoHostsPage, 400],
  ['no path', pages.badPathPage, 400],
]

function header(page: Reply, name: string): string | undefined {
  const at = page.headers.indexOf(name)
  return at === -1 ? undefined : page.headers[at + 1]
}

function html(page: Reply): string {
  assert.equal(page.body.kind, 'bytes')
  return page.body.kind === 'bytes' ? Buffer.from(page.body.bytes).toString() : ''
}

for (const [name, page, status] of all) {
  test(`the page for ${name} says what happened and what to do, and allows only its own style`, () => {
    const text = html(page)
    assert.equal(page.status, status)
    assert.equal(header(page, 'Content-Length'), String(Buffer.byteLength(text)))
    assert.equal(header(page, 'Cache-Control'), 'no-store')
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    assert.ok(
      header(page, 'Content-Security-Policy')?.includes(`default-src 'none'; style-src 'sha256-${hash}'`),
    )
    assert.match(text, /<h1>.+<\/h1>\n<p>.+<\/p>/)
    assert.doesNotMatch(text.replace('<!doctype', ''), /!/)
    assert.doesNotMatch(text, /<script|style=|src=|href=(?!"\/")/)
  })
}

test('a missing page leads to the front page', () => {
  assert.match(html(pages.notFoundPage), /<a href="\/">home page<\/a>/)
})

test('what a visitor sent is escaped', () => {
  for (const page of [pages.unknownHostPage, pages.unknownDomainPage]) {
    assert.match(html(page('<b>&"\'')), /&lt;b&gt;&amp;&quot;&#39;/)
  }
})

test('the reason of a takedown is shown in its own direction', () => {
  const page = pages.blockedPage({ status: 451, reason: 'أمر <المحكمة>' })
  assert.match(html(page), /<p dir="auto">أمر &lt;المحكمة&gt;<\/p>/)
})

test('an outage says when to retry, a wrong method which ones are allowed', () => {
  assert.equal(header(pages.unavailablePage, 'Retry-After'), '5')
  assert.equal(header(pages.methodNotAllowedPage, 'Allow'), 'GET, HEAD')
})

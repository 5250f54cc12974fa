import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocPage } from './doc-pages.ts'
import { renderMarkdown } from './render-markdown.ts'
import { searchSections, sectionsOf } from './search.ts'
import { searchResultsHtml } from './search-page.ts'

const page: DocPage = {
  path: '/docs/domains',
  markdownPath: '/docs/domains.md',
  title: 'Custom domains',
  about: '',
  section: '',
  markdown: `# Custom domains
Point a name here.
## Redirects
Send \`old\` names on: 5 < 6 & more.
### \`cname_other\`
The CNAME points elsewhere.
`,
}
const sections = sectionsOf(page, renderMarkdown(page.markdown, page.markdownPath))
const find = (query: string) => searchSections(sections, query)

test('each heading is a section of its own, with its address and its text', () => {
  assert.deepEqual(
    sections.map(({ path, heading, text }) => ({ path, heading, text })),
    [
      { path: '/docs/domains', heading: 'Custom domains', text: 'Point a name here.' },
      { path: '/docs/domains#redirects', heading: 'Redirects', text: 'Send old names on: 5 < 6 & more.' },
      { path: '/docs/domains#cname_other', heading: 'cname_other', text: 'The CNAME points elsewhere.' },
    ],
  )
})

test('a section is found if it has every word, in any case and order', () => {
  assert.deepEqual(
    find('NAMES  send').map(({ heading }) => heading),
    ['Redirects'],
  )
  assert.equal(find('cname_other')[0]?.path, '/docs/domains#cname_other')
  assert.deepEqual(find('names nothing'), [])
})

test('a heading counts more than the text', () => {
  assert.equal(find('redirect')[0]?.heading, 'Redirects')
})

test('odd queries find nothing and break nothing', () => {
  for (const query of ['', '   ', '"', '\u0000', '('.repeat(5_000), 'a '.repeat(5_000), 'ß'.repeat(200), 'İ'])
    assert.ok(searchResultsHtml(query, find(query)).includes('<h1>'))
  assert.deepEqual(find('(.*)'), [])
})

test('results are escaped, and what was searched for is marked', () => {
  const html = searchResultsHtml('<img> & 6', find('& 6'))
  assert.ok(html.includes('Results for “&lt;img&gt; &amp; 6”'))
  assert.ok(html.includes('5 &lt; <mark>6</mark> <mark>&amp;</mark> more'))
  assert.ok(!html.includes('<img'))
})

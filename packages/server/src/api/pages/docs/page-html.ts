import { escapeHtml } from '../../../kernel/escape-text.ts'
import type { DocPage } from './doc-pages.ts'
import type { DocHeading } from './render-markdown.ts'

/** Used if the dashboard, which has the styles, was not built. */
export const plainTemplate = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Masthead</title>
</head>
<body></body>
</html>
`

export interface DocView {
  title: string
  /** HTML of the main part. */
  content: string
  headings: readonly DocHeading[]
  /** The page it is, if it is one of the list. */
  page?: DocPage
  query?: string
}

/** A whole page: the view, framed by search and navigation. */
export function pageHtml(template: string, pages: readonly DocPage[], view: DocView): string {
  const { title, content, headings, page, query = '' } = view
  const alternate =
    page === undefined
      ? '<meta name="robots" content="noindex">'
      : `<link rel="alternate" type="text/markdown" href="${page.markdownPath}">`
  const list = navigation(pages, page)
  const body = `<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="wordmark" href="/">Masthead</a>
<a class="docs" href="/docs">Docs</a>
<form role="search" action="/docs/search">
<input type="search" name="q" aria-label="Search the docs" placeholder="Search" maxlength="100" autocomplete="off" value="${escapeHtml(query)}">
</form>
<a class="back" href="/">Dashboard</a>
</header>
<div class="columns">
<nav class="guides wide" aria-label="Guides">${list}</nav>
<main id="content" tabindex="-1">
<details class="guides narrow"><summary>All guides</summary><nav aria-label="All guides">${list}</nav></details>
<article>
${content}
</article>
${page === undefined ? '' : pageEnd(pages, page)}
</main>
${onThisPage(headings)}
</div>
`
  // Functions, because a string could contain `$&`.
  return template
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)} · Masthead</title>\n${alternate}`)
    .replace(/<body>[\s\S]*<\/body>/, () => `<body class="documentation">\n${body}</body>`)
}

function navigation(pages: readonly DocPage[], current: DocPage | undefined): string {
  const sections = Map.groupBy(pages, ({ section }) => section)
  return [...sections]
    .map(([section, some]) => {
      const links = some.map(({ path, title }) => {
        const mark = path === current?.path ? ' aria-current="page"' : ''
        return `<li><a href="${path}"${mark}>${escapeHtml(title)}</a></li>`
      })
      const heading = section === '' ? '' : `<p>${escapeHtml(section)}</p>`
      return `${heading}<ul>${links.join('')}</ul>`
    })
    .join('\n')
}

/** Fewer headings are seen at a glance. */
const worthListing = 3

function onThisPage(headings: readonly DocHeading[]): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (listed.length < worthListing) return ''
  const links = listed.map(
    ({ depth, anchor, text }) =>
      `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`
}

function pageEnd(pages: readonly DocPage[], page: DocPage): string {
  const next = pages[pages.indexOf(page) + 1]
  const onward = next === undefined ? '' : `<a href="${next.path}">Next: ${escapeHtml(next.title)}</a>`
  return `<footer>${onward}<a href="${page.markdownPath}">This page as Markdown</a></footer>`
}

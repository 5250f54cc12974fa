import { escapeHtml } from '../../../kernel/escape-text.ts'
import { type FoundSection, wordsOf } from './search.ts'

/** The main part of the page of results. The script of the docs takes the list out of it. */
export function searchResultsHtml(query: string, found: readonly FoundSection[]): string {
  const words = wordsOf(query)
  if (words.length === 0) return `<h1>Search</h1>\n<p>Type a word, such as “redirect”, or an error code.</p>`
  const heading = `<h1>Results for “${escapeHtml(query)}”</h1>`
  if (found.length === 0) {
    return `${heading}\n<p class="nothing">Nothing has all of these words. Try fewer, or see <a href="/docs">all guides</a>.</p>`
  }
  const items = found.map(
    ({ page, path, heading: title, excerpt }) =>
      `<li><a href="${escapeHtml(path)}"><b>${mark(title, words)}</b>${
        title === page ? '' : ` <span>${escapeHtml(page)}</span>`
      }<span class="excerpt">${mark(excerpt, words)}</span></a></li>`,
  )
  return `${heading}\n<ul class="results">${items.join('\n')}</ul>`
}

function mark(text: string, words: readonly string[]): string {
  const parts = text.split(new RegExp(`(${words.map((word) => RegExp.escape(word)).join('|')})`, 'iu'))
  return parts
    .map((part, index) => (index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('')
}

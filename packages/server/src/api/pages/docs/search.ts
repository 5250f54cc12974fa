import type { DocPage } from './doc-pages.ts'
import { type RenderedMarkdown, textOf } from './render-markdown.ts'

/** What is below one heading of a page. */
export interface DocSection {
  page: string
  path: string
  heading: string
  text: string
  /** For comparing, in lower case. */
  searched: { page: string; heading: string; text: string }
}

export interface FoundSection {
  page: string
  path: string
  heading: string
  excerpt: string
}

export const maxQueryLength = 100
const maxWords = 8
const maxResults = 20
const excerptLength = 180

export function sectionsOf(page: DocPage, { html, headings }: RenderedMarkdown): DocSection[] {
  // The first part is before any heading, so it is empty.
  const [, ...parts] = html.split(/<h[1-6] id="[^"]*">/)
  return headings.map(({ anchor, text: heading, depth }, index) => {
    const [, content = ''] = (parts[index] ?? '').split(/<\/h[1-6]>/, 2)
    const text = textOf(content.replaceAll(/<\/(?:td|th|li|p|pre)>/g, ' '))
    return {
      page: page.title,
      path: depth === 1 ? page.path : `${page.path}#${anchor}`,
      heading,
      text,
      searched: { page: fold(page.title), heading: fold(heading), text: fold(text) },
    }
  })
}

/** The sections that have every word of the query, best first. */
export function searchSections(sections: readonly DocSection[], query: string): FoundSection[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, maxResults)
    .map(({ section: { page, path, heading, text, searched } }) => ({
      page,
      path,
      heading,
      excerpt: excerptOf(text, searched.text, words),
    }))
}

/** The words of a query, as they are compared. */
export function wordsOf(query: string): string[] {
  const words = fold(query.slice(0, maxQueryLength)).split(/[\s"“”]+/)
  return [...new Set(words.filter((word) => word !== ''))].slice(0, maxWords)
}

function scoreOf({ searched: { page, heading, text } }: DocSection, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const found =
      (heading === word ? 40 : heading.includes(word) ? 12 : 0) +
      (page.includes(word) ? 6 : 0) +
      (text.includes(word) ? 3 : 0)
    if (found === 0) return 0
    score += found
  }
  return score
}

function excerptOf(text: string, searched: string, words: readonly string[]): string {
  const first = Math.max(0, Math.min(...words.map((word) => searched.indexOf(word)).filter((at) => at >= 0)))
  const from = Number.isFinite(first) && first > 60 ? text.lastIndexOf(' ', first - 40) + 1 : 0
  const excerpt = text.slice(from, from + excerptLength)
  return `${from > 0 ? '… ' : ''}${excerpt}${from + excerptLength < text.length ? ' …' : ''}`
}

/** Keeps the length, so that places in the folded text are places in the text. */
function fold(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

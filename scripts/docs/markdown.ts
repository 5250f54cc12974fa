import { createAnchors } from '@masthead/contract/docs/heading-anchors.ts'

export interface Located {
  text: string
  line: number
}

export interface MarkdownDocument {
  headings: Located[]
  /** Inline code, without the backticks. */
  code: Located[]
  /** Lines of fenced blocks. */
  fenced: Located[]
  /** Targets of links and images. */
  links: Located[]
  /** The cells of each table row, without headers. */
  rows: { cells: string[]; line: number }[]
  lines: Located[]
}

/** Parses as much Markdown as the checks need. */
export function readMarkdown(source: string): MarkdownDocument {
  const found: MarkdownDocument = { headings: [], code: [], fenced: [], links: [], rows: [], lines: [] }
  let fence: string | undefined
  for (const [index, text] of source.split('\n').entries()) {
    const line = index + 1
    found.lines.push({ text, line })
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      else found.fenced.push({ text, line })
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1]
    if (heading !== undefined) found.headings.push({ text: heading, line })
    for (const [, , code = ''] of text.matchAll(/(`+)(.+?)\1(?!`)/g)) {
      found.code.push({ text: code.trim(), line })
    }
    for (const target of linkTargets(text)) found.links.push({ text: target, line })
    readRow(text, line, found.rows)
  }
  return found
}

export function anchorsOf(headings: readonly Located[]): Set<string> {
  const anchorOf = createAnchors()
  return new Set(headings.map(({ text }) => anchorOf(text)))
}

function linkTargets(text: string): string[] {
  const prose = text.replace(/(`+).+?\1(?!`)/g, '`')
  const inline = prose.matchAll(/\]\(\s*<?([^\s)>]+)/g)
  const reference = prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)/g)
  return [...inline, ...reference].map(([, target = '']) => target)
}

function readRow(text: string, line: number, rows: MarkdownDocument['rows']): void {
  if (!/^\s*\|/.test(text)) return
  if (/^[\s|:-]+$/.test(text)) {
    rows.pop()
    return
  }
  const cells = text
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
  rows.push({ cells: cells.map((cell) => cell.trim()), line })
}

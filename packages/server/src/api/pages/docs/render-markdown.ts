import { createAnchors } from '@masthead/contract/docs/heading-anchors.ts'
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '../../../kernel/escape-text.ts'

export interface RenderedMarkdown {
  html: string
  headings: DocHeading[]
}

export interface DocHeading {
  depth: number
  anchor: string
  text: string
}

/** Renders our own Markdown, which is trusted. `path` is the address of the Markdown, from which its links lead. */
export function renderMarkdown(markdown: string, path: string): RenderedMarkdown {
  const headings: DocHeading[] = []
  const anchorOf = createAnchors()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        // `{#name}` at the end of a heading chooses its anchor.
        const chosen = /\s*\{#([\w-]+)\}$/.exec(text)
        const anchor = chosen?.[1] ?? anchorOf(text)
        const inner = this.parser.parseInline(tokens).replace(/\s*\{#[\w-]+\}$/, '')
        const plain = textOf(inner)
        headings.push({ depth, anchor, text: plain })
        const mark =
          depth === 1
            ? ''
            : ` <a class="anchor" href="#${anchor}" aria-label="Link to “${escapeHtml(plain)}”">#</a>`
        return `<h${depth} id="${anchor}">${inner}${mark}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(pageAddress(href, path))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escapeHtml(pageAddress(href, path))}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      // Both may be wider than a phone. Focus lets the keyboard scroll them.
      code({ text, lang }: Tokens.Code) {
        const kind = lang === undefined || lang === '' ? '' : ` class="language-${escapeHtml(lang)}"`
        return `<div class="code"><pre tabindex="0"><code${kind}>${escapeHtml(text)}</code></pre></div>\n`
      },
      table({ header, rows }: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], start: string, end: string) =>
          row.map(({ tokens }) => start + this.parser.parseInline(tokens) + end).join('')
        const head = `<thead><tr>${cells(header, '<th scope="col">', '</th>')}</tr></thead>`
        const body = rows.map((row) => `<tr>${cells(row, '<td>', '</td>')}</tr>\n`).join('')
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { html, headings }
}

/** `domains.md#states` in `/docs/cli.md` leads to `/docs/domains#states`. */
function pageAddress(target: string, from: string): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(target)) return target
  const { pathname, hash } = new URL(target, new URL(from, 'http://server.invalid'))
  const page = pathname === '/docs/index.md' ? '/docs' : pathname.replace(/^(\/docs\/.+)\.md$/, '$1')
  return page + hash
}

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** The text of HTML that we rendered. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim()
}

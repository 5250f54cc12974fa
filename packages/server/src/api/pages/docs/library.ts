import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { escapeHtml } from '../../../kernel/escape-text.ts'
import { type PageFile, pageFile } from '../page-file.ts'
import type { DocPage, GuideFolder } from './doc-pages.ts'
import { type DocView, pageHtml } from './page-html.ts'
import { type RenderedMarkdown, renderMarkdown } from './render-markdown.ts'
import { type DocSection, maxQueryLength, searchSections, sectionsOf } from './search.ts'
import { searchResultsHtml } from './search-page.ts'

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'same-origin',
}

/** All pages of the docs, each rendered and compressed once, when it is first asked for. */
export class Library {
  readonly #files = new Map<string, () => Promise<PageFile>>()
  readonly #rendered = new Map<DocPage, RenderedMarkdown>()
  readonly #pages: readonly DocPage[]
  readonly #template: string
  #sections: Promise<DocSection[]> | undefined

  constructor({ pages, images }: GuideFolder, template: string) {
    this.#pages = pages
    this.#template = template
    for (const page of pages) {
      this.#files.set(
        page.path,
        once(() => this.#file('text/html', this.#pageHtml(page))),
      )
      this.#files.set(
        page.markdownPath,
        once(() => this.#file('text/markdown', page.markdown)),
      )
    }
    for (const [path, file] of images) {
      this.#files.set(
        path,
        once(async () =>
          pageFile('image/png', { identity: await readFile(file), br: null, gzip: null }, headers),
        ),
      )
    }
    this.#files.set(
      '/llms.txt',
      once(() => this.#file('text/plain', this.#overview())),
    )
  }

  /** What an address of the docs shows; undefined if there is no such page. */
  file(path: string): Promise<PageFile> | undefined {
    return this.#files.get(path)?.()
  }

  async searchResults(text: string): Promise<PageFile> {
    const query = text.slice(0, maxQueryLength).trim()
    this.#sections ??= this.#readSections()
    const content = searchResultsHtml(query, searchSections(await this.#sections, query))
    return this.#view({ title: 'Search', content, headings: [], query })
  }

  async missing(path: string): Promise<PageFile> {
    const content = `<h1>There is no such page</h1>\n<p><code>${escapeHtml(path.slice(0, 200))}</code> is not part of the docs. Search for what you need, or see <a href="/docs">all guides</a>.</p>`
    return this.#view({ title: 'Not found', content, headings: [] })
  }

  #renderPage(page: DocPage): RenderedMarkdown {
    const known = this.#rendered.get(page)
    if (known !== undefined) return known
    const rendered = renderMarkdown(page.markdown, page.markdownPath)
    this.#rendered.set(page, rendered)
    return rendered
  }

  #pageHtml(page: DocPage): string {
    const { html, headings } = this.#renderPage(page)
    return pageHtml(this.#template, this.#pages, { title: page.title, content: html, headings, page })
  }

  async #readSections(): Promise<DocSection[]> {
    const sections: DocSection[] = []
    for (const page of this.#pages) {
      sections.push(...sectionsOf(page, this.#renderPage(page)))
      // Others are served in between.
      await setImmediate()
    }
    return sections
  }

  /** Made for one request, so it is not compressed. */
  #view(view: DocView): PageFile {
    const identity = Buffer.from(pageHtml(this.#template, this.#pages, view))
    return pageFile('text/html', { identity, br: null, gzip: null }, headers)
  }

  async #file(type: string, text: string): Promise<PageFile> {
    const identity = Buffer.from(text)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
    const [br, gz] = await Promise.all([compressBrotli(identity, { params }), compressGzip(identity)])
    return pageFile(type, { identity, br, gzip: gz }, headers)
  }

  /** For programs that read (https://llmstxt.org). */
  #overview(): string {
    const sections = Map.groupBy(
      this.#pages.filter(({ section }) => section !== ''),
      ({ section }) => section,
    )
    const lists = [...sections].map(
      ([section, pages]) =>
        `## ${section}\n${pages.map(({ title, markdownPath, about }) => `- [${title}](${markdownPath}): ${about}\n`).join('')}`,
    )
    return `# Masthead\n\n> Publishes folders as sites, with previews, rollback, custom domains and certificates. This server has an HTTP API, a command line and a dashboard.\n\nThe OpenAPI document of the API is at [/v1/openapi.json](/v1/openapi.json).\n\n${lists.join('\n')}`
  }
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= create()
    return result
  }
}

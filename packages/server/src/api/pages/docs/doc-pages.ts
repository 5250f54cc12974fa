import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { adaptMarkdown, type Surroundings } from './adapt-markdown.ts'
import { readGuideList } from './guide-list.ts'

export interface DocPage {
  /** `/docs/cli`; its Markdown is at `/docs/cli.md`. */
  path: string
  markdownPath: string
  title: string
  /** One line for lists, in Markdown. */
  about: string
  /** The heading it is listed under. */
  section: string
  markdown: string
}

export interface GuideFolder {
  pages: DocPage[]
  /** The files of the images that the guides show, by address. */
  images: Map<string, string>
}

/** The first page and the guides, in the order of their list. */
export async function readGuides(folder: string, around: Omit<Surroundings, 'titles'>): Promise<GuideFolder> {
  const { frontPage, guides } = readGuideList(await readFile(join(folder, 'README.md'), 'utf8'))
  const titles = new Map(guides.map(({ file, title }) => [file, title]))
  const adapt = (markdown: string) => adaptMarkdown(markdown, { ...around, titles })
  const first: DocPage = {
    path: '/docs',
    markdownPath: '/docs/index.md',
    title: 'Guides',
    about: 'All guides of this server',
    section: '',
    markdown: adapt(frontPage),
  }
  const others = await Promise.all(
    guides.map(async ({ file, title, about, section }): Promise<DocPage> => {
      const markdown = adapt(await readFile(join(folder, file), 'utf8'))
      const path = `/docs/${file.slice(0, -'.md'.length)}`
      return { path, markdownPath: `${path}.md`, title, about, section, markdown }
    }),
  )
  const pages = [first, ...others]
  const shown = pages.flatMap(({ markdown }) => [...markdown.matchAll(/!\[[^\]]*\]\(([\w/-]+\.png)\)/g)])
  const images = new Map(shown.map(([, file = '']) => [`/docs/${file}`, join(folder, file)]))
  return { pages, images }
}

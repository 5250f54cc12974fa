/** A guide of `docs/`, as its list names it. */
export interface GuideEntry {
  /** `cli.md` */
  file: string
  title: string
  /** One line for lists. */
  about: string
  /** The heading it is listed under. */
  section: string
}

/** What is below this heading is for people who work on Masthead, and only in the repository. */
const notServed = '## Work on Masthead'

/** Reads `docs/README.md`: which guides there are, in which order and for whom. It is the first page too. */
export function readGuideList(readme: string): { frontPage: string; guides: GuideEntry[] } {
  const [frontPage = ''] = readme.split(`\n${notServed}`)
  const guides: GuideEntry[] = []
  let section = ''
  for (const line of frontPage.split('\n')) {
    section = /^## (.+)$/.exec(line)?.[1] ?? section
    const row = /^\| \[([^\]]+)\]\(([\w-]+\.md)\) \| (.+) \|$/.exec(line)
    if (row !== null) guides.push({ file: row[2] ?? '', title: row[1] ?? '', about: row[3] ?? '', section })
  }
  return { frontPage, guides }
}

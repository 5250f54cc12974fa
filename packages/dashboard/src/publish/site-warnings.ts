import { projectFileNames } from '@masthead/contract/ignored-files.ts'
import type { Site } from './site.ts'

const mostNamed = 6
const projectFiles: ReadonlySet<string> = new Set(projectFileNames)

/** Whether visitors of `/` would get a 404. What is in an archive, only the server knows. */
export function lacksFrontPage(site: Site): boolean {
  return site.kind === 'folder' && !site.files.some(({ path }) => path === '/index.html')
}

/** What stays behind: ".env, .git/ and 3 more"; null where nothing does but the project file. */
export function leftOutWords(site: Site): string | null {
  const paths = site.kind === 'folder' ? (site.leftOut ?? []) : []
  const names = paths.map((path) => path.slice(1)).filter((name) => !projectFiles.has(name))
  if (names.length === 0) return null
  const more = names.length - mostNamed
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}

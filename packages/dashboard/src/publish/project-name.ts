import { suggestSlug } from '@masthead/contract/slug.ts'
import { withoutArchiveEnding } from './archive-type.ts'

/** Folders that build tools write to: they are called alike in every project and name none. */
const namesNothing = new Set(['dist', 'build', 'out', 'public', '_site', 'site', 'html', 'www'])

/** What the name of a project may have; that of a folder may have more. */
export const nameLength = 80

/** What a project of a folder or an archive could be called, or nothing. */
export function projectNameFrom(site: string | null): string {
  if (site === null) return ''
  const name = withoutArchiveEnding(site)
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, nameLength)
    .trim()
  return namesNothing.has(name.toLowerCase()) ? '' : name
}

/** The address that a name suggests; some names, such as "docs", are the platform's, and get a word more. */
export function slugFrom(name: string): string {
  const longer = suggestSlug(`${name}-site`)
  return suggestSlug(name) ?? (longer === null || longer === 'site' ? '' : longer)
}

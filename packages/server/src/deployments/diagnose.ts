import type { Diagnostic } from '@masthead/contract/schemas/deployment.ts'
import type { Manifest } from './manifest.ts'
import { quoted } from './paths.ts'

const frontPage = '/index.html'

/** What whoever publishes these files should know before visitors find out. */
export function diagnose(manifest: Manifest): Diagnostic[] {
  if (manifest.has(frontPage)) return []
  const message = `There is no front page: visitors of / get a 404.${hint(manifest)}`
  return [{ file: frontPage, line: null, level: 'warning', message }]
}

function hint(manifest: Manifest): string {
  let nearest: string | null = null
  for (const path of manifest.keys()) {
    if (/^\/index\.html?$/i.test(path)) return ` Rename ${path.slice(1)} to index.html.`
    if (path.endsWith(frontPage) && (nearest === null || path.length < nearest.length)) nearest = path
  }
  if (nearest === null) return ' Add an index.html.'
  return ` There is an index.html in ${quoted(nearest.slice(0, -frontPage.length))}: publish that folder.`
}

import type { Diagnostic, LeftOut } from '@masthead/contract/schemas/deployment.ts'
import { bytesOf, documentBytesOf, type Manifest } from './manifest.ts'
import { quoted } from './paths.ts'
import type { DeploymentRow } from './store.ts'

const frontPage = '/index.html'

/** Warns the publisher before visitors notice. */
function diagnose(manifest: Manifest): Diagnostic[] {
  if (manifest.has(frontPage)) return []
  const message = `There is no front page: visitors to / get a 404.${hint(manifest)}`
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

export type FilesDescription = Pick<
  DeploymentRow,
  'files' | 'bytes' | 'left_out' | 'diagnostics' | 'manifest_bytes'
>

/** The columns of a deployment that describe its files. */
export function describeFiles(manifest: Manifest, leftOut: LeftOut): FilesDescription {
  const diagnostics = diagnose(manifest)
  return {
    files: manifest.size,
    bytes: bytesOf(manifest),
    manifest_bytes: documentBytesOf(manifest),
    left_out: leftOut.files === 0 ? null : JSON.stringify(leftOut),
    diagnostics: diagnostics.length === 0 ? null : JSON.stringify(diagnostics),
  }
}

export const noFilesYet: FilesDescription = {
  files: 0,
  bytes: 0,
  left_out: null,
  diagnostics: null,
  manifest_bytes: 0,
}

import type { ManifestFile } from '../manifest.ts'

/** What macOS puts beside a folder that it packs. */
const besides = '__MACOSX/'

/**
 * Who packs a folder mostly means what is in it. Where everything lies in one folder, and the front page with it, that
 * folder is the site.
 */
export function atSiteRoot(files: Map<string, ManifestFile>): Map<string, ManifestFile> {
  const paths = [...files.keys()].filter((path) => !path.startsWith(besides))
  const folder = paths[0]?.match(/^[^/]+\//)?.[0]
  if (folder === undefined || !files.has(`${folder}index.html`)) return files
  if (!paths.every((path) => path.startsWith(folder))) return files
  return new Map(
    [...files].flatMap(([path, file]) =>
      path.startsWith(folder) ? [[path.slice(folder.length), file]] : [],
    ),
  )
}

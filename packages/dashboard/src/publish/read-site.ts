import { ignoredPart, type UploadLimits } from '@masthead/contract/deployments.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { addEntries, contentsOf, type Entry, fileOf, SiteFiles } from './collect-files.ts'
import { archiveSite, type FolderSite, SiteError, type SiteUpload } from './site.ts'

export type Source =
  | { kind: 'dropped'; entries: readonly Entry[] }
  | { kind: 'folder'; files: readonly File[] }
  | { kind: 'archive'; file: File }

export interface Reading {
  limits: UploadLimits
  /** Browsers only hash on HTTPS and localhost. */
  canHash: boolean
  signal: AbortSignal
  /** Called with the number of files found so far. */
  found: (files: number) => void
}

/** Throws a SiteError if it cannot be published. */
export async function readSite(source: Source, reading: Reading): Promise<SiteUpload> {
  if (source.kind === 'archive') return checkedArchive(source.file, reading.limits)
  if (source.kind === 'folder') return chosenFolder(source.files, reading)
  const [only, ...others] = source.entries
  if (only === undefined) throw nothingUsable()
  if (others.length > 0) return dropped(null, source.entries, reading)
  if (only.isDirectory) return dropped(only.name, only, reading)
  const file = await fileOf(only)
  return archiveSite(file) === null ? dropped(null, [only], reading) : checkedArchive(file, reading.limits)
}

async function dropped(
  name: string | null,
  content: readonly Entry[] | Extract<Entry, { isDirectory: true }>,
  { limits, canHash, ...walk }: Reading,
): Promise<FolderSite> {
  if (!canHash) throw needsHttps()
  const files = new SiteFiles(limits)
  const parts = 'isDirectory' in content ? contentsOf(content) : [content]
  for await (const some of parts) await addEntries(some, files, walk)
  return files.site(name)
}

/**
 * Paths from a folder input start with the folder's name: `site/docs/index.html`. Browsers without a dialog for folders,
 * as on some phones, let people choose files instead, which have no such path.
 */
function chosenFolder(chosen: readonly File[], { limits, canHash }: Reading): FolderSite {
  if (!canHash) throw needsHttps()
  const files = new SiteFiles(limits)
  let name: string | null = null
  for (const file of chosen) {
    const [top = '', ...inside] = file.webkitRelativePath.split('/')
    if (top !== '') name ??= top
    const path = top === '' ? `/${file.name}` : `/${inside.join('/')}`
    const ignored = ignoredPart(path)
    if (ignored === null) files.add({ path, file, reopen: null })
    else files.leaveOut(ignored)
  }
  return files.site(name)
}

function checkedArchive(file: File, { bytesPerDeployment }: UploadLimits): SiteUpload {
  const site = archiveSite(file)
  if (site === null) {
    throw new SiteError(`${file.name} is not an archive we can publish.`, 'Choose a .zip or a .tar.gz.')
  }
  if (file.size > bytesPerDeployment) {
    const most = formatBytes(bytesPerDeployment)
    const fix = 'Publish less, or ask the operator for a higher limit.'
    throw new SiteError(
      `${file.name} has ${formatBytes(file.size)}, but the limit per deployment is ${most}.`,
      fix,
    )
  }
  return site
}

function needsHttps(): SiteError {
  return new SiteError(
    'Publishing a folder needs HTTPS: browsers cannot hash files on a plain HTTP page.',
    'Open the dashboard over HTTPS, or drop the folder as a .zip or .tar.gz instead.',
  )
}

function nothingUsable(): SiteError {
  return new SiteError('Nothing you dropped can be published.', 'Drop a folder, a .zip or a .tar.gz.')
}

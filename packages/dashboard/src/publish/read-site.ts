import { ignoredPart, type UploadLimits } from '@masthead/contract/deployments.ts'
import { fileSize } from '../ui/file-size.ts'
import { addEntries, contentsOf, type Entry, fileOf, SiteFiles } from './collect-files.ts'
import { archiveSite, type FolderSite, SiteFault, type SiteUpload } from './site.ts'

/** What somebody dropped on the page, or chose by a button. */
export type Source =
  | { kind: 'dropped'; entries: readonly Entry[] }
  | { kind: 'folder'; files: readonly File[] }
  | { kind: 'archive'; file: File }

export interface Reading {
  limits: UploadLimits
  /** Whether this page can hash: browsers keep that for HTTPS and localhost. */
  canHash: boolean
  signal: AbortSignal
  /** Told as files are found. */
  found: (files: number) => void
}

/** What is to be published, or a fault that says why it cannot be. */
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

/** The input of a folder gives paths that begin with its name: `site/docs/index.html`. */
function chosenFolder(chosen: readonly File[], { limits, canHash }: Reading): FolderSite {
  if (!canHash) throw needsHttps()
  const files = new SiteFiles(limits)
  let name: string | null = null
  for (const file of chosen) {
    const [top, ...inside] = file.webkitRelativePath.split('/')
    name ??= top ?? null
    const path = `/${inside.join('/')}`
    const ignored = ignoredPart(path)
    if (ignored === null) files.add({ path, file, again: async () => file })
    else files.leaveOut(ignored)
  }
  return files.site(name)
}

function checkedArchive(file: File, { bytesPerDeployment }: UploadLimits): SiteUpload {
  const site = archiveSite(file)
  if (site === null) {
    throw new SiteFault(
      `${file.name} is not an archive that can be published.`,
      'Choose a .zip or a .tar.gz.',
    )
  }
  if (file.size > bytesPerDeployment) {
    const most = fileSize(bytesPerDeployment)
    const fix = 'Publish less, or ask the operator for a higher limit.'
    throw new SiteFault(`${file.name} has ${fileSize(file.size)}; one version may have ${most}.`, fix)
  }
  return site
}

function needsHttps(): SiteFault {
  return new SiteFault(
    'Folders can be published from here over HTTPS only: browsers do not hash files on a plain HTTP page.',
    'Open the dashboard over HTTPS, or drop the folder as a .zip or .tar.gz instead.',
  )
}

function nothingUsable(): SiteFault {
  return new SiteFault('No file came with what was dropped.', 'Drop a folder, a .zip or a .tar.gz.')
}

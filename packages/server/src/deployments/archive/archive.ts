import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { Problem } from '../../kernel/problem.ts'

/** One thing inside an archive. Names are as the archive has them: decoded, but not yet checked. */
export type ArchiveEntry = ArchiveFile | ArchiveFolder

export interface ArchiveFile {
  kind: 'file'
  name: string
  /** What the archive declares. `content` gives exactly so many bytes or throws. */
  size: number
  /** Can be read once, and only until the next entry is asked for. */
  content: AsyncIterable<Uint8Array>
}

export interface ArchiveFolder {
  kind: 'folder'
  name: string
}

/** Whether an entry of this name is passed over, whatever it is. Asked once for each. */
export type SkipsEntry = (name: string) => boolean

export interface ArchiveUpload {
  /** Where it comes from a request, it must not destroy the request when reading stops early. */
  body: AsyncIterable<Uint8Array>
  format: 'tar.gz' | 'zip'
  limits: UploadLimits
  blobs: BlobStore
  /** For zip archives, which can only be read once they are complete. */
  spoolFolder: string
  /** Asked before each file is read any further; throws to refuse it. */
  admits?: ((path: string, size: number) => void) | undefined
  /** Where space for what is staged is taken from; absent where it was reserved before. */
  space?: ArchiveSpace | undefined
  /** Which of some digests the account has already. */
  held?: ((digests: readonly string[]) => Promise<string[]>) | undefined
}

export interface ArchiveSpace {
  /** Throws Problem `storage_full` where there is none left. */
  take(bytes: number): Promise<void>
  giveBack(bytes: number): void
}

/** So much may come out of however little; beyond, only so many times what went in. Text shrinks to a tenth. */
const always = 32 * 1024 ** 2
const times = 100

/** Throws Problem `archive_expands_too_much` for what only an archive made to do harm does. */
export function refuseDecompressionBomb(packed: number, unpacked: number): void {
  if (unpacked <= always || unpacked <= packed * times) return
  const detail = `The archive unpacks to more than ${times} times its size.`
  throw new Problem('archive_expands_too_much', detail)
}

/**
 * The folder of an archive that is the site, `/` or `/site/`. Who packs a folder mostly means what is in it: where
 * everything lies in one folder, and the front page with it, that folder is the site.
 */
export function siteRootOf(paths: ReadonlySet<string>): string {
  const [first = '/'] = paths
  const folder = first.slice(0, first.indexOf('/', 1) + 1)
  if (folder === '' || !paths.has(`${folder}index.html`)) return '/'
  for (const path of paths) if (!path.startsWith(folder)) return '/'
  return folder
}

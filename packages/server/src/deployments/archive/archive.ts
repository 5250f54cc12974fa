import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { Problem } from '../../kernel/problem.ts'

export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip'

/** Names are decoded, but not checked yet. */
export type ArchiveEntry = ArchiveFile | ArchiveFolder

export interface ArchiveFile {
  kind: 'file'
  name: string
  /** As declared. `content` yields exactly this many bytes, or throws. */
  size: number
  /** Can be read once, before the next entry is requested. */
  content: AsyncIterable<Uint8Array>
  /** The same in one piece, for a file that fits in memory. Returns a promise only if it has to wait. */
  whole?: () => Uint8Array | Promise<Uint8Array>
}

export interface ArchiveFolder {
  kind: 'folder'
  name: string
}

/** Counts an entry, and returns true if it must not be published. Called once per entry. */
export type LeaveOutEntry = (name: string) => boolean

export interface ArchiveUpload {
  /** Must not destroy the request if reading stops early. */
  body: AsyncIterable<Uint8Array>
  format: ArchiveFormat
  limits: UploadLimits
  blobs: BlobStore
  /** For zip archives, which can only be read once complete. */
  spoolFolder: string
  /** Called before each file is read; throws to refuse it. */
  admits?: ((path: string, size: number) => void) | undefined
  /** Accounts for staged bytes; omitted if space is reserved already. */
  space?: ArchiveSpace | undefined
  /** The digests that the account already has. */
  held?: ((digests: readonly string[]) => Promise<string[]>) | undefined
}

export interface ArchiveSpace {
  /** Throws the Problem `storage_full` if there is not enough. */
  take(bytes: number): Promise<void>
  release(bytes: number): void
}

/**
 * Any archive may unpack to `allowedBytes`, and larger ones to at most `maxRatio` times their size. Text typically
 * compresses to a tenth.
 */
const allowedBytes = 32 * 1024 ** 2
const maxRatio = 100

/** Throws the Problem `archive_expands_too_much`. */
export function refuseDecompressionBomb(packed: number, unpacked: number): void {
  if (unpacked <= allowedBytes || unpacked <= packed * maxRatio) return
  const detail = `The archive unpacks to more than ${maxRatio} times its size.`
  throw new Problem('archive_expands_too_much', detail)
}

/**
 * The folder of an archive that is the site, `/` or `/site/`. People often pack the folder itself: if everything is in
 * one folder with an index.html, that folder is the site.
 */
export function siteRootOf(paths: ReadonlySet<string>): string {
  const [first = '/'] = paths
  const folder = first.slice(0, first.indexOf('/', 1) + 1)
  if (folder === '' || !paths.has(`${folder}index.html`)) return '/'
  for (const path of paths) if (!path.startsWith(folder)) return '/'
  return folder
}

import type { UploadLimits } from '@masthead/contract/upload-limits.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'

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

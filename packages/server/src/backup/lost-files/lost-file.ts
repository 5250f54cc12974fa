import { type BlobKey, blobPath, documentPath } from '../../blobs/blob-store.ts'
import type { FileFault } from './file-fault.ts'

/** A file that an installation should have. */
export interface LostFile {
  file: { kind: 'blob'; key: BlobKey; size: number } | { kind: 'document'; name: string }
  fault: FileFault
  /** The slugs of projects whose deployments need it, with one of its paths there; null for a manifest or rules. */
  usedBy: ReadonlyMap<string, string | null>
}

export function pathOfLost({ file }: Pick<LostFile, 'file'>): string {
  return file.kind === 'blob' ? blobPath(file.key) : documentPath(file.name)
}

/** The digest of a content, in whatever form, or the name of a document. */
export function nameOf(file: LostFile['file']): string {
  return file.kind === 'blob' ? file.key.sha256 : file.name
}

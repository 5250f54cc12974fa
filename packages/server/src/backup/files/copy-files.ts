import { type BlobKey, type BlobStore, blobPath, documentPath } from '../../blobs/blob-store.ts'
import { digestContent, isMissing, readContent, type StoredContent, storedContent } from './read-content.ts'

/** A file to copy, from a store or a backup. */
export type FileToCopy =
  | {
      kind: 'blob'
      key: BlobKey
      size: number
      isRequired: boolean
      /** What it must be; null if only reading it tells. */
      expected: StoredContent | null
      open(): AsyncIterable<Uint8Array>
    }
  | { kind: 'document'; name: string; isRequired: boolean; read(): Promise<Buffer | null> }

export type CopyResult = 'copied' | 'present' | 'missing' | 'damaged'

/** Puts one file into the target, unless its equal is there. Atomic: a file is there as a whole or not at all. */
export async function copyFile(target: BlobStore, file: FileToCopy): Promise<CopyResult> {
  try {
    return file.kind === 'blob' ? await copyBlob(target, file) : await copyDocument(target, file)
  } catch (error) {
    if (isMissing(error)) return 'missing'
    throw error
  }
}

async function copyBlob(
  target: BlobStore,
  { key, expected, open }: FileToCopy & { kind: 'blob' },
): Promise<CopyResult> {
  const existing = await storedContent(target, key)
  if (existing !== null) {
    const wanted = expected ?? (await digestContent(open()))
    if (existing.sha256 === wanted.sha256) return 'present'
  }
  const staged = await target.stage(open(), Number.MAX_SAFE_INTEGER)
  if (expected !== null && staged.sha256 !== expected.sha256) {
    await staged.discard()
    return 'damaged'
  }
  const { accountId, sha256, encoding } = key
  await staged.commit(encoding === undefined ? { accountId } : { accountId, sha256, encoding })
  return 'copied'
}

async function copyDocument(
  target: BlobStore,
  { name, read }: FileToCopy & { kind: 'document' },
): Promise<CopyResult> {
  const content = await read()
  if (content === null) return 'missing'
  const existing = await target.readDocument(name)
  if (existing?.equals(content)) return 'present'
  await target.writeDocument(name, content)
  return 'copied'
}

/** The uncompressed content of a blob is what its key says. */
export function fromStore(
  store: BlobStore,
  { key, size, isRequired }: { key: BlobKey; size: number; isRequired: boolean },
): FileToCopy {
  const expected = key.encoding === undefined ? { sha256: key.sha256, size } : null
  return { kind: 'blob', key, size, isRequired, expected, open: () => readContent(store, key, size) }
}

export function pathOf(file: FileToCopy): string {
  return file.kind === 'blob' ? blobPath(file.key) : documentPath(file.name)
}

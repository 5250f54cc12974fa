import { createHash } from 'node:crypto'
import type { BlobFile, BlobKey, BlobStore, RemoteBlobStore } from '../../blobs/blob-store.ts'

export interface StoredContent {
  sha256: string
  size: number
}

const chunkBytes = 1024 * 1024

/** The content of a blob, a piece at a time. Fails with ENOENT if there is none. `size` saves memory if it is right. */
export async function* readContent(
  store: BlobStore,
  key: BlobKey,
  size = chunkBytes,
): AsyncGenerator<Uint8Array> {
  if (isRemote(store)) {
    const remote = await store.fetch(key)
    if (remote === null) throw missing(key)
    yield* remote.content
    return
  }
  yield* inPieces(await store.openFile(key), size)
}

/** Closes the file afterwards. */
export async function* inPieces(file: BlobFile, size = chunkBytes): AsyncGenerator<Uint8Array> {
  // One byte more, to see that it ends.
  const pieceBytes = Math.min(chunkBytes, Math.max(1, size + 1))
  try {
    for (let start = 0; ; ) {
      const chunk = Buffer.allocUnsafe(pieceBytes)
      const read = await file.read(start, chunk)
      if (read > 0) yield chunk.subarray(0, read)
      if (read < pieceBytes) return
      start += read
    }
  } finally {
    await file.close()
  }
}

/** What a store holds under a key; null: nothing. A remote store knows it without sending the content. */
export async function storedContent(store: BlobStore, key: BlobKey): Promise<StoredContent | null> {
  if (isRemote(store)) {
    const abort = new AbortController()
    const remote = await store.fetch(key, abort.signal)
    abort.abort()
    return remote === null ? null : { sha256: remote.sha256, size: remote.size }
  }
  if (!(await store.has(key))) return null
  return digestContent(readContent(store, key))
}

export async function digestContent(content: AsyncIterable<Uint8Array>): Promise<StoredContent> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of content) {
    hash.update(chunk)
    size += chunk.byteLength
  }
  return { sha256: hash.digest('hex'), size }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function isRemote(store: BlobStore): store is RemoteBlobStore {
  return 'fetch' in store
}

function missing(key: BlobKey): Error {
  return Object.assign(new Error(`${key.sha256} is not there`), { code: 'ENOENT' })
}

import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import {
  type BlobFile,
  type BlobKey,
  blobPath,
  type CommitKey,
  documentPath,
  type RemoteBlobStore,
  type StagedBlob,
  storedKey,
} from '../blob-store.ts'
import { FileThread } from '../files/file-thread.ts'
import { openSpool, type SpooledFile } from '../files/spool.ts'
import { unlessMissing } from '../missing.ts'
import { fetchContent, readContent, readRange } from './read-content.ts'
import { ignoreBody, type S3Client } from './s3-client.ts'
import { isMissingKey, missingContent, toStoreError } from './s3-error.ts'
import type { S3Limits } from './s3-limits.ts'
import { digestHeader, uploadFile } from './upload-file.ts'

/** Requests at the same time for one caller with many files. */
const maxConcurrent = 16
/** Of an open file, fetched when it is opened: all that most files have. */
const headBytes = 64 * 1024
/** Read ahead, since most readers go from the start to the end. */
const pieceBytes = 256 * 1024

export interface S3StoreParts {
  client: S3Client
  limits: S3Limits
  /** Local, for uploads that are not complete. May be lost. */
  spoolFolder: string
}

/** Stores blobs as objects with the same names as files: `{account}/{aa}/{sha256}[.br|.zst|.gz]`, and `documents/`. */
export async function createS3Store({ client, limits, spoolFolder }: S3StoreParts): Promise<RemoteBlobStore> {
  const spool = await openSpool(spoolFolder, new FileThread())
  const upload = (key: string, file: SpooledFile) => asStore(uploadFile(client, limits, key, file))
  const stage = (file: SpooledFile) => new StagedUpload(file, upload)
  /** The key says the digest of uncompressed content. */
  const digestIn = ({ sha256, encoding }: BlobKey) => (encoding === undefined ? sha256 : null)
  const remove = (key: string, withinMs?: number) => {
    const deadline = withinMs === undefined ? undefined : Date.now() + withinMs
    const removal = client.request({ method: 'DELETE', key, deadline }, ignoreBody)
    return asStore(removal).catch((error: unknown) => {
      if (!isMissingKey(causeOf(error))) throw error
    })
  }
  const put = (key: string, content: Uint8Array, signal?: AbortSignal, retryMs?: number) => {
    const sha256 = createHash('sha256').update(content).digest('hex')
    const body = { sha256, size: content.byteLength, open: () => content }
    const headers = { [digestHeader]: sha256 }
    const options = { ...(retryMs !== undefined && { retryMs }), signal }
    return asStore(client.request({ method: 'PUT', key, headers, body, ...options }, ignoreBody))
  }
  const range = (key: string, start: number, length: number) =>
    orMissing(key, asStore(readRange(client, key, start, length)))

  async function openFile(key: string): Promise<BlobFile> {
    let piece = { start: 0, ...(await range(key, 0, headBytes)) }
    return {
      async read(start, into) {
        const end = Math.min(start + into.length, piece.size)
        if (start >= end) return 0
        if (start < piece.start || end > piece.start + piece.bytes.length) {
          piece = { start, ...(await range(key, start, Math.max(into.length, pieceBytes))) }
        }
        return piece.bytes.copy(into, 0, start - piece.start)
      },
      async close() {},
    }
  }

  return {
    stage: async (source, maxBytes) => stage(await spool.write(source, maxBytes)),
    stageAll: async (batch) => (await spool.writeAll(batch)).map(stage),
    commitAll: (staged, accountId) =>
      forEachConcurrently(staged, maxConcurrent, (blob) => blob.commit({ accountId })),
    read: async (key) => {
      const path = blobPath(key)
      return orMissing(path, asStore(readContent(client, path, digestIn(key))))
    },
    openFile: async (key) => openFile(blobPath(key)),
    has: async (key) =>
      unlessMissing(
        range(blobPath(key), 0, 1).then(() => true),
        false,
      ),
    remove: async (key, withinMs) => remove(blobPath(key), withinMs),
    fetch: async (key, signal) => {
      const path = blobPath(key)
      const fetched = fetchContent(client, path, digestIn(key), signal)
      return unlessMissing(orMissing(path, asStore(fetched)), null)
    },

    writeDocument: async (name, content) => put(documentPath(name), content),
    readDocument: async (name) => {
      const path = documentPath(name)
      return unlessMissing(orMissing(path, asStore(readContent(client, path, null))), null)
    },
    removeDocument: async (name) => remove(documentPath(name)),
    probe: (signal) => put('probe', Buffer.from('ok'), signal, 0),
  }
}

class StagedUpload implements StagedBlob {
  readonly sha256: string
  readonly size: number
  readonly #file: SpooledFile
  readonly #upload: (key: string, file: SpooledFile) => Promise<void>
  #sentTo: string | null = null

  constructor(file: SpooledFile, upload: (key: string, file: SpooledFile) => Promise<void>) {
    this.sha256 = file.sha256
    this.size = file.size
    this.#file = file
    this.#upload = upload
  }

  async send(key: CommitKey): Promise<void> {
    const path = blobPath(storedKey(key, this.sha256))
    if (this.#sentTo === path) return
    await this.#upload(path, this.#file)
    this.#sentTo = path
  }

  async commit(key: CommitKey): Promise<void> {
    await this.send(key)
    await this.discard()
  }

  async discard(): Promise<void> {
    await unlessMissing(unlink(this.#file.path), undefined)
  }
}

function asStore<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw toStoreError(error)
  })
}

async function orMissing<T>(key: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw isMissingKey(causeOf(error)) ? missingContent(key) : error
  })
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, gzip, type ZlibOptions } from 'node:zlib'
import type { Client } from '@masthead/client/client.ts'
import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'
import type { Bytes } from '@masthead/client/request.ts'
import { forEachConcurrent, layOutTar, uploadBatches } from '@masthead/client/upload.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { fileChangedError, folderChangedError, throwReadError } from './changed-folder.ts'
import { FileReader, type HashedFile, smallFileBytes } from './hash-files.ts'

const gzipped = promisify<Uint8Array, ZlibOptions, Buffer<ArrayBuffer>>(gzip)

/** Of gzip: the server stores the uncompressed content anyway. */
const { Z_BEST_SPEED: fastest, Z_NO_COMPRESSION: uncompressed } = constants
/** Every chunk is a round trip to Node's threads. */
const gzipChunkBytes = 1024 ** 2
const requestsAtOnce = 4

export interface UploadTarget {
  client: Client
  project: string
  deployment: Id<'deployment'>
  /** False if the connection is faster than compression. */
  compress: boolean
  signal: AbortSignal
}

/** Expects files with equal content only once. */
export async function uploadFiles(
  files: readonly HashedFile[],
  { client, project, deployment, compress, signal }: UploadTarget,
  fileDone: (bytes: number) => void,
): Promise<void> {
  const params = { project, deployment }
  const reader = new FileReader()
  let packing: Promise<unknown> = Promise.resolve()
  /** Older servers take only tar.gz. */
  let takesTar = true

  /** Reads one archive after the other, so that the server gets the first while we read the next. */
  function pack(together: readonly HashedFile[]): Promise<Uint8Array<ArrayBuffer>> {
    const tar = packing.then(() => setImmediate()).then(() => packed(together, reader))
    packing = tar.catch(() => {})
    return tar
  }

  async function send(tar: Uint8Array<ArrayBuffer>, stop: AbortSignal): Promise<void> {
    if (!compress && takesTar) {
      const plain = { params, archive: tar, type: 'application/x-tar', signal: stop } as const
      const isTaken = await client.putFiles(plain).then(() => true, unlessUnknownType)
      if (isTaken) return
      takesTar = false
    }
    const level = compress ? fastest : uncompressed
    const archive = await gzipped(tar, { level, chunkSize: gzipChunkBytes })
    await client.putFiles({ params, archive, type: 'application/gzip', signal: stop })
  }

  await forEachConcurrent(uploadBatches(files), requestsAtOnce, signal, async (together, stop) => {
    const [file, ...others] = together
    if (file === undefined) return
    if (others.length === 0) {
      const body = await contentOf(file, reader)
      const call = { params: { ...params, sha256: file.sha256 }, body, signal: stop }
      await client.putFile(call).catch((error) => explain(error, file))
    } else {
      await send(await pack(together), stop)
    }
    for (const { size } of together) fileDone(size)
  })
}

async function packed(files: readonly HashedFile[], reader: FileReader): Promise<Uint8Array<ArrayBuffer>> {
  const { archive, contents } = layOutTar(files.map(({ sha256, size }) => ({ name: sha256, size })))
  for (const [index, file] of files.entries()) {
    const reading = reader.readHashed(file, (content) => contents[index]?.set(content))
    if (reading instanceof Promise) await reading
  }
  return archive
}

function unlessUnknownType(error: unknown): false {
  if (error instanceof ProblemError && error.code === 'unsupported_media_type') return false
  throw error
}

async function contentOf(file: HashedFile, reader: FileReader): Promise<Bytes> {
  if (file.size <= smallFileBytes) return reader.readHashed(file, (content) => Buffer.from(content))
  try {
    return await openAsBlob(file.location)
  } catch (error) {
    return throwReadError(file.path.slice(1), error)
  }
}

async function explain(error: unknown, { path, location, size, stats }: HashedFile): Promise<never> {
  if (error instanceof ProblemError && error.code === 'digest_mismatch') throw fileChangedError(path, error)
  // If a file changes while it is sent, the request fails like a lost connection.
  if (error instanceof ConnectionError) {
    const now = await stat(location).catch((error) => throwReadError(path.slice(1), error))
    if (!now.isFile()) throw folderChangedError(path.slice(1), error)
    if (now.size !== size || now.mtimeMs !== stats.mtimeMs) throw fileChangedError(path, error)
  }
  throw error
}

import { hash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, gzip, type ZlibOptions } from 'node:zlib'
import type { Client } from '@masthead/client/client.ts'
import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'
import type { Bytes } from '@masthead/client/request.ts'
import { forEachConcurrent, packTar, uploadBatches } from '@masthead/client/upload.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import {
  FileReader,
  fileChangedError,
  type HashedFile,
  smallFileBytes,
  throwReadError,
} from './hash-files.ts'

const gzipped = promisify<Uint8Array, ZlibOptions, Buffer<ArrayBuffer>>(gzip)

/** Of gzip: the server stores the uncompressed content anyway. */
const { Z_BEST_SPEED: fastest, Z_NO_COMPRESSION: stored } = constants
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
  await forEachConcurrent(uploadBatches(files), requestsAtOnce, signal, async (together, stop) => {
    const [file, ...others] = together
    if (file === undefined) return
    if (others.length === 0) {
      const body = await contentOf(file, reader)
      const call = { params: { ...params, sha256: file.sha256 }, body, signal: stop }
      await client.putFile(call).catch((error) => explain(error, file))
    } else {
      const archive = await gzipped(await packed(together, reader), { level: compress ? fastest : stored })
      await client.putFiles({ params, archive, type: 'application/gzip', signal: stop })
    }
    for (const { size } of together) fileDone(size)
  })
}

async function packed(files: readonly HashedFile[], reader: FileReader): Promise<Uint8Array> {
  const entries = []
  for (const file of files) {
    const content = await reader.read(file)
    if (hash('sha256', content) !== file.sha256) throw fileChangedError(file.path)
    entries.push({ name: file.sha256, content })
  }
  return packTar(entries)
}

async function contentOf(file: HashedFile, reader: FileReader): Promise<Bytes> {
  if (file.size <= smallFileBytes) return reader.read(file)
  try {
    return await openAsBlob(file.location)
  } catch (error) {
    return throwReadError(file.path, error)
  }
}

async function explain(error: unknown, { path, location, size }: HashedFile): Promise<never> {
  if (error instanceof ProblemError && error.code === 'digest_mismatch') throw fileChangedError(path, error)
  // If a file changes size while it is sent, the request fails like a lost connection.
  if (error instanceof ConnectionError) {
    const now = await stat(location).catch(() => null)
    if (now?.size !== size) throw fileChangedError(path, error)
  }
  throw error
}

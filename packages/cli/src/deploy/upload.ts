import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Bytes } from '@masthead/client/call-input.ts'
import type { Client } from '@masthead/client/client.ts'
import { ConnectionError, ProblemError } from '@masthead/client/problem-error.ts'
import type { Id } from '@masthead/contract/ids.ts'
import { eachLimited } from '../each-limited.ts'
import { changedFile, vanished } from './changed-file.ts'
import { type HashedFile, smallFile } from './hash-files.ts'

const atOnce = 16

export interface UploadTarget {
  client: Client
  project: string
  deployment: Id<'deployment'>
  signal: AbortSignal
}

/** Sends each of the files; equal ones are expected to be listed once. */
export async function uploadFiles(
  files: readonly HashedFile[],
  { client, project, deployment, signal }: UploadTarget,
  fileDone: (bytes: number) => void,
): Promise<void> {
  await eachLimited(files, atOnce, signal, async (file, stop) => {
    const body = await contentOf(file)
    const params = { project, deployment, sha256: file.sha256 }
    await client.putFile({ params, body, signal: stop }).catch((error) => explain(error, file))
    fileDone(file.size)
  })
}

async function contentOf({ size, location, path }: HashedFile): Promise<Bytes> {
  try {
    return size <= smallFile ? await readFile(location) : await openAsBlob(location)
  } catch (error) {
    return vanished(path, error)
  }
}

async function explain(error: unknown, { path, location, size }: HashedFile): Promise<never> {
  if (error instanceof ProblemError && error.code === 'digest_mismatch') throw changedFile(path, error)
  // A file that grows or shrinks under a request breaks it off, which looks like a lost connection.
  if (error instanceof ConnectionError) {
    const now = await stat(location).catch(() => null)
    if (now?.size !== size) throw changedFile(path, error)
  }
  throw error
}

import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { eachLimited } from '@masthead/client/each-limited.ts'
import { vanished } from './changed-file.ts'
import type { FoundFile } from './walk-folder.ts'

export interface HashedFile extends FoundFile {
  sha256: string
}

/** Files up to this size are read at once; larger ones are never in memory as a whole. */
export const smallFile = 1024 ** 2
const atOnce = 8

/** The digest of every file, in the order given. */
export async function hashFiles(
  files: readonly FoundFile[],
  signal: AbortSignal,
  fileDone: (bytes: number) => void,
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = new Array(files.length)
  await eachLimited([...files.entries()], atOnce, signal, async ([index, file], stop) => {
    const digest = file.size <= smallFile ? await digestAtOnce(file) : await digestStreaming(file, stop)
    hashed[index] = { ...file, ...digest }
    fileDone(digest.size)
  })
  return hashed
}

type Digest = Pick<HashedFile, 'sha256' | 'size'>

async function digestAtOnce({ location, path }: FoundFile): Promise<Digest> {
  const content = await readFile(location).catch((error) => vanished(path, error))
  return { sha256: hash('sha256', content), size: content.length }
}

async function digestStreaming({ location, path }: FoundFile, signal: AbortSignal): Promise<Digest> {
  const digest = createHash('sha256')
  let size = 0
  try {
    for await (const chunk of createReadStream(location, { signal, highWaterMark: smallFile })) {
      digest.update(chunk)
      size += chunk.length
    }
  } catch (error) {
    signal.throwIfAborted()
    vanished(path, error)
  }
  return { sha256: digest.digest('hex'), size }
}

import { createHash, hash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { forEachConcurrent } from '@masthead/client/upload.ts'
import { CommandError } from '../errors/command-error.ts'
import { CachedDisk } from './cached-disk.ts'
import type { FoundFile } from './list-files.ts'

/** The file changed after it was hashed. */
export function fileChangedError(path: string, cause?: unknown): CommandError {
  return new CommandError(
    'file_changed',
    `${path.slice(1)} changed while it was being published.`,
    'Nothing was published. Run the command again when the folder no longer changes.',
    'failed',
    cause,
  )
}

/** Reading a listed file failed. */
export function throwReadError(path: string, error: NodeJS.ErrnoException | unknown): never {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') throw fileChangedError(path, error)
  throw new CommandError(
    'unreadable',
    `${path.slice(1)} cannot be read (${code}).`,
    'Check its permissions.',
    'failed',
    error,
  )
}

export interface HashedFile extends FoundFile {
  sha256: string
}

/** Larger files are streamed. */
export const smallFileBytes = 1024 ** 2
/** Reading more takes long even from memory. */
const quickBytes = 64 * 1024
const concurrency = 8

/** Reads files that fit in memory. */
export class FileReader {
  readonly #disk = new CachedDisk()

  async read({ location, path, size }: FoundFile): Promise<Buffer<ArrayBuffer>> {
    const later = () => readFile(location)
    try {
      return size > quickBytes ? await later() : await this.#disk.ask(() => readFileSync(location), later)
    } catch (error) {
      throwReadError(path, error)
    }
  }
}

/** The digest of every file, in the order given. */
export async function hashFiles(
  files: readonly FoundFile[],
  signal: AbortSignal,
  fileDone: (bytes: number) => void,
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = new Array(files.length)
  const reader = new FileReader()
  await forEachConcurrent([...files.entries()], concurrency, signal, async ([index, file], stop) => {
    const digest =
      file.size <= smallFileBytes ? await digestAtOnce(file, reader) : await digestStreaming(file, stop)
    hashed[index] = { ...file, ...digest }
    fileDone(digest.size)
  })
  return hashed
}

type Digest = Pick<HashedFile, 'sha256' | 'size'>

async function digestAtOnce(file: FoundFile, reader: FileReader): Promise<Digest> {
  const content = await reader.read(file)
  return { sha256: hash('sha256', content), size: content.length }
}

async function digestStreaming({ location, path }: FoundFile, signal: AbortSignal): Promise<Digest> {
  const digest = createHash('sha256')
  let size = 0
  try {
    for await (const chunk of createReadStream(location, { signal, highWaterMark: smallFileBytes })) {
      digest.update(chunk)
      size += chunk.length
    }
  } catch (error) {
    signal.throwIfAborted()
    throwReadError(path, error)
  }
  return { sha256: digest.digest('hex'), size }
}

import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { forEachConcurrent } from '@masthead/client/upload.ts'
import { CommandError } from '../errors/command-error.ts'
import { CachedDisk } from './cached-disk.ts'
import type { FoundFile } from './list-files.ts'
import { sha256 as digestOf } from './sha256.ts'

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
  readonly #scratch = Buffer.allocUnsafeSlow(quickBytes + 1)

  /** Passes the content on, which is only valid until `use` returns. */
  read<T>(file: FoundFile, use: (content: Buffer<ArrayBuffer>) => T): T | Promise<T> {
    if (file.content !== undefined) return use(file.content)
    const later = () => readFile(file.location).catch((error) => throwReadError(file.path, error))
    const useLater = async () => use(await later())
    if (file.size > quickBytes) return useLater()
    return this.#disk.ask(() => use(this.#readQuickly(file)), useLater)
  }

  /** Asks for one more byte than listed, to notice a file that has grown. */
  #readQuickly({ location, path, size }: FoundFile): Buffer<ArrayBuffer> {
    try {
      const file = openSync(location, 'r')
      try {
        const length = readSync(file, this.#scratch, 0, size + 1, 0)
        return length === size ? this.#scratch.subarray(0, size) : readFileSync(location)
      } finally {
        closeSync(file)
      }
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
  known: (file: FoundFile) => string | undefined = () => undefined,
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = new Array(files.length)
  const unknown: [index: number, file: FoundFile][] = []
  for (const [index, file] of files.entries()) {
    const sha256 = known(file)
    if (sha256 === undefined) unknown.push([index, file])
    else {
      hashed[index] = { ...file, sha256 }
      fileDone(file.size)
    }
  }
  const reader = new FileReader()
  await forEachConcurrent(unknown, concurrency, signal, async ([index, file], stop) => {
    const digest = file.size <= smallFileBytes ? digestAtOnce(file, reader) : digestStreaming(file, stop)
    const { sha256, size } = digest instanceof Promise ? await digest : digest
    hashed[index] = { ...file, sha256, size }
    fileDone(size)
  })
  return hashed
}

type Digest = Pick<HashedFile, 'sha256' | 'size'>

function digestAtOnce(file: FoundFile, reader: FileReader): Digest | Promise<Digest> {
  return reader.read(file, (content) => ({ sha256: digestOf(content), size: content.length }))
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

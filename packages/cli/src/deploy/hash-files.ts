import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readFileSync, readSync, type Stats, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { forEachConcurrent } from '@masthead/client/upload.ts'
import { CachedDisk } from './cached-disk.ts'
import { fileChangedError, throwReadError } from './changed-folder.ts'
import type { FoundFile } from './list-files.ts'
import { sha256 as digestOf } from './sha256.ts'

export interface HashedFile extends FoundFile {
  sha256: string
  /** What was hashed, if there was room to keep it. */
  kept?: Buffer<ArrayBuffer> | undefined
}

/** Larger files are streamed. */
export const smallFileBytes = 1024 ** 2
/** Reading more takes long even from memory. */
const quickBytes = 64 * 1024
const concurrency = 8
/** New files are usually uploaded next, and reading them again takes longer than anything else. */
const maxKeptBytes = 64 * 1024 ** 2
/** Kept contents share buffers, because thousands of small ones are slow to create and to collect. */
const slabBytes = 1024 ** 2

/** Reads files that fit in memory. */
export class FileReader {
  readonly #disk = new CachedDisk()
  #slab = Buffer.allocUnsafeSlow(slabBytes)
  /** The start of the slab is kept, the rest is overwritten by the next file. */
  #slabKept = 0
  #kept = 0

  /** Passes the content on, which is only valid until `use` returns, unless that keeps it. */
  read<T>(file: FoundFile, use: (content: Buffer<ArrayBuffer>) => T): T | Promise<T> {
    if (file.content !== undefined) return use(file.content)
    const later = () => readFile(file.location).catch((error) => throwReadError(file.path.slice(1), error))
    const useLater = async () => use(await later())
    if (file.size > quickBytes) return useLater()
    return this.#disk.ask(() => use(this.#readQuickly(file)), useLater)
  }

  /** Returns the content if it stays valid, undefined if there is no room for it. */
  keep(content: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> | undefined {
    if (this.#kept + content.length > maxKeptBytes) return undefined
    this.#kept += content.length
    if (content.buffer === this.#slab.buffer) this.#slabKept += content.length
    return content
  }

  /** Passes on what was hashed. Throws if the file has another content now. */
  readHashed<T>(file: HashedFile, use: (content: Buffer<ArrayBuffer>) => T): T | Promise<T> {
    const { kept, location, path, sha256 } = file
    const readAgain = () =>
      this.read(file, (content) => {
        if (digestOf(content) !== sha256) throw fileChangedError(path)
        return use(content)
      })
    if (kept === undefined) return readAgain()
    const isSame = this.#disk.ask(
      () => hasStats(file, statSync(location, { throwIfNoEntry: false })),
      async () => hasStats(file, await stat(location).catch(() => undefined)),
    )
    if (isSame instanceof Promise) return isSame.then((same) => (same ? use(kept) : readAgain()))
    return isSame ? use(kept) : readAgain()
  }

  /** Asks for one more byte than listed, to notice a file that has grown. */
  #readQuickly({ location, path, size }: FoundFile): Buffer<ArrayBuffer> {
    if (this.#slabKept + size + 1 > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes)
      this.#slabKept = 0
    }
    const start = this.#slabKept
    try {
      const file = openSync(location, 'r')
      try {
        const length = readSync(file, this.#slab, start, size + 1, 0)
        return length === size ? this.#slab.subarray(start, start + size) : readFileSync(location)
      } finally {
        closeSync(file)
      }
    } catch (error) {
      throwReadError(path.slice(1), error)
    }
  }
}

function hasStats({ size, stats }: FoundFile, now: Stats | undefined): boolean {
  return (
    now !== undefined &&
    now.size === size &&
    now.mtimeMs === stats.mtimeMs &&
    now.ctimeMs === stats.ctimeMs &&
    now.ino === stats.ino
  )
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
    const { sha256, size, kept } = digest instanceof Promise ? await digest : digest
    hashed[index] = { ...file, sha256, size, kept }
    fileDone(size)
  })
  return hashed
}

type Digest = Pick<HashedFile, 'sha256' | 'size' | 'kept'>

function digestAtOnce(file: FoundFile, reader: FileReader): Digest | Promise<Digest> {
  return reader.read(file, (content) => ({
    sha256: digestOf(content),
    size: content.length,
    kept: file.content === undefined ? reader.keep(content) : undefined,
  }))
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
    throwReadError(path.slice(1), error)
  }
  return { sha256: digest.digest('hex'), size }
}

import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { type Entry, RandomAccessReader } from 'yauzl'
import { Problem } from '../../kernel/problem.ts'

const windowBytes = 128 * 1024

/**
 * The file of a zip archive. We alternate between its directory and its contents, so a buffered window on each turns
 * thousands of small reads into a few large ones.
 */
export class ZipSource extends RandomAccessReader {
  readonly #file: FileHandle
  #windows: { start: number; bytes: Buffer }[] = []

  constructor(file: FileHandle) {
    super()
    this.#file = file
  }

  /** `length` bytes from `position`, fewer at the end of the file. */
  async bytes(position: number, length: number): Promise<Buffer> {
    // yauzl's own reader passes a hostile offset to `fs.read`, which throws where nothing can catch it.
    if (!Number.isSafeInteger(position + length)) return Buffer.alloc(0)
    if (length >= windowBytes) return this.#fromDisk(position, length)
    const end = position + length
    let window = this.#windows.find(
      ({ start, bytes }) => start <= position && end <= start + bytes.byteLength,
    )
    if (!window) {
      window = { start: position, bytes: await this.#fromDisk(position, windowBytes) }
      this.#windows = [window, ...this.#windows.slice(0, 1)]
    } else if (window !== this.#windows[0]) {
      this.#windows.reverse()
    }
    return window.bytes.subarray(position - window.start, end - window.start)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.bytes(position, length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (error: Error) => callback(error),
    )
  }

  /** The caller closes the file. */
  override close(callback: (error: Error | null) => void): void {
    callback(null)
  }

  async #fromDisk(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  }
}

const chunkBytes = 128 * 1024
/** Small files are decompressed synchronously: a stream or the thread pool would cost more than the work. */
const maxSyncBytes = 128 * 1024

/** Yields exactly the declared size with the declared checksum, or throws a Problem. */
export async function* zipContent(
  source: ZipSource,
  start: number,
  entry: Entry,
): AsyncGenerator<Uint8Array, void> {
  let left = entry.uncompressedSize
  let sum = 0
  try {
    for await (const chunk of unpack(source, start, entry)) {
      left -= chunk.byteLength
      if (left < 0) throw damaged('An entry is larger than the archive says.')
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw isUnpackingError(error) ? damaged('The compressed data of an entry is damaged.', error) : error
  }
  if (left > 0) throw damaged('An entry is smaller than the archive says.')
  if (sum !== entry.crc32) throw damaged('An entry does not match its checksum.')
}

function unpack(source: ZipSource, start: number, entry: Entry): AsyncIterable<Uint8Array> {
  const packed = readRange(source, start, entry.compressedSize)
  if (entry.compressionMethod === 0) return packed
  if (entry.compressionMethod !== 8) {
    throw damaged(`An entry uses compression method ${entry.compressionMethod}; only deflate is supported.`)
  }
  const small = entry.compressedSize <= maxSyncBytes && entry.uncompressedSize <= maxSyncBytes
  if (small) return inflateWhole(packed, entry.uncompressedSize)
  const inflating = createInflateRaw({ chunkSize: chunkBytes })
  // Errors reach the reader through `inflating`.
  pipeline(packed, inflating, () => {})
  return inflating
}

async function* inflateWhole(
  packed: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of packed) yield inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) })
}

async function* readRange(
  source: ZipSource,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array, void> {
  for (let read = 0; read < length; ) {
    const bytes = await source.bytes(start + read, Math.min(chunkBytes, length - read))
    if (bytes.byteLength === 0) throw new Problem('archive_truncated', 'The zip archive is incomplete.')
    yield bytes
    read += bytes.byteLength
  }
}

function isUnpackingError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return error.code.startsWith('Z_') || error.code === 'ERR_BUFFER_TOO_LARGE'
}

function damaged(detail: string, cause?: unknown): Problem {
  return new Problem('archive_invalid', detail, { cause })
}

import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import type { Entry } from 'yauzl'
import { Problem } from '../../problem.ts'
import type { ZipSource } from './zip-source.ts'

const chunkBytes = 128 * 1024
/** So small a file is unpacked in place: a stream, or a turn in the thread pool, costs more than the work. */
const wholeUpTo = 128 * 1024

/** The content of one entry: exactly the declared size, with the declared checksum, or a Problem. */
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
    throw damaged(
      `An entry is compressed by method ${entry.compressionMethod}; deflate is what is read here.`,
    )
  }
  const small = entry.compressedSize <= wholeUpTo && entry.uncompressedSize <= wholeUpTo
  if (small) return inflateWhole(packed, entry.uncompressedSize)
  const inflating = createInflateRaw({ chunkSize: chunkBytes })
  // The error reaches the reader through `inflating`.
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

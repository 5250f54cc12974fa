import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Problem } from '../../kernel/problem.ts'
import { refuseDecompressionBomb } from './archive.ts'

/** Decompresses gzip with backpressure. Errors of `source` are thrown as they are; damaged data becomes a Problem. */
export async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const unpacking = createGunzip({ chunkSize: 128 * 1024 })
  let received = 0
  let unpacked = 0
  async function* counted() {
    for await (const chunk of source) {
      received += chunk.byteLength
      yield chunk
    }
  }
  // pipeline needs a callback; errors reach the loop below through `unpacking`.
  pipeline(counted(), unpacking, () => {})
  try {
    for await (const chunk of unpacking) {
      unpacked += chunk.byteLength
      refuseDecompressionBomb(received, unpacked)
      yield chunk
    }
  } catch (error) {
    throw asProblem(error)
  }
  // Node ignores data after the last member. Its option to refuse that would also refuse further members, which are
  // valid (RFC 1952, section 2.2) and written by parallel compressors.
  if (unpacking.bytesWritten !== received) {
    throw new Problem('archive_invalid', 'There is unexpected data after the compressed data.')
  }
}

function asProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error) || !('code' in error)) return error
  if (error.code === 'Z_BUF_ERROR') {
    return new Problem('archive_truncated', 'The compressed data ends too early.', { cause: error })
  }
  if (error.code === 'Z_DATA_ERROR') {
    return new Problem('archive_invalid', 'The compressed data is damaged or is not gzip.', { cause: error })
  }
  return error
}

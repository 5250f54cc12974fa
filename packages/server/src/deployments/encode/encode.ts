import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Encoding } from '../manifest.ts'

/**
 * Up to this size we can afford the slowest settings. Above it, we use settings that are nearly as small and much
 * faster.
 */
const maxThoroughBytes = 1024 ** 2

/** Null if compression would not save enough. */
export async function encode(bytes: Uint8Array, encoding: Encoding): Promise<Buffer | null> {
  const encoded = await compress[encoding](bytes)
  const saved = bytes.byteLength - encoded.byteLength
  return saved >= 64 && saved >= bytes.byteLength * 0.05 ? encoded : null
}

const brotliAsync = promisify(brotliCompress)
const zstdAsync = promisify(zstdCompress)
const gzipAsync = promisify(gzip)

const compress: Record<Encoding, (bytes: Uint8Array) => Promise<Buffer>> = {
  br: (bytes) =>
    brotliAsync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.byteLength <= maxThoroughBytes ? 11 : 9,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
  // Levels above 19 may need a larger window than the 8 MiB that browsers accept (RFC 9659). With the size known, the
  // window of a small file is no larger than the file.
  zstd: (bytes) =>
    zstdAsync(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: bytes.byteLength <= maxThoroughBytes ? 19 : 12 },
      pledgedSrcSize: bytes.byteLength,
    }),
  // Nearly as small as at the slowest level, and few clients use it.
  gzip: (bytes) => gzipAsync(bytes, { level: 6 }),
}

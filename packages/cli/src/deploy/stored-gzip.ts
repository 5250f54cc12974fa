import * as zlib from 'node:zlib'

/** Of a stored block (RFC 1951, section 3.2.4). */
const maxBlockBytes = 65_535
const blockHeaderBytes = 5
/** Deflate, no flags, no time, unknown system (RFC 1952, section 2.3). */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
const trailerBytes = 8

/** A gzip without compression: one copy, where zlib takes several. `zlib.crc32` needs Node.js 20.15. */
export const storedGzip: (content: Uint8Array) => Buffer<ArrayBuffer> =
  zlib.crc32 === undefined ? (content) => zlib.gzipSync(content, { level: 0 }) : store

function store(content: Uint8Array): Buffer<ArrayBuffer> {
  const blocks = Math.max(1, Math.ceil(content.length / maxBlockBytes))
  const size = header.length + blocks * blockHeaderBytes + content.length + trailerBytes
  const stored = Buffer.allocUnsafeSlow(size)
  stored.set(header)
  let at = header.length
  for (let block = 0; block < blocks; block++) {
    const bytes = content.subarray(block * maxBlockBytes, (block + 1) * maxBlockBytes)
    stored[at] = block === blocks - 1 ? 1 : 0
    stored.writeUInt16LE(bytes.length, at + 1)
    stored.writeUInt16LE(~bytes.length & 0xffff, at + 3)
    stored.set(bytes, at + blockHeaderBytes)
    at += blockHeaderBytes + bytes.length
  }
  stored.writeUInt32LE(zlib.crc32(content), at)
  stored.writeUInt32LE(content.length % 2 ** 32, at + 4)
  return stored
}

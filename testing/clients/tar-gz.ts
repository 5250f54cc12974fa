import { gzipSync } from 'node:zlib'

const block = 512

/** Compressing more takes longer than all that a test does with it, and large contents are random anyway. */
const mostCompressedBytes = 1024 ** 2

/** Files by their name in the archive, packed the way `tar -cz` packs them. */
export function tarGz(files: Record<string, string>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    parts.push(
      tarHeader(name, bytes.byteLength),
      bytes,
      Buffer.alloc((block - (bytes.byteLength % block)) % block),
    )
  }
  const tar = Buffer.concat([...parts, Buffer.alloc(2 * block)])
  return new Uint8Array(gzipSync(tar, tar.byteLength > mostCompressedBytes ? { level: 0 } : {}))
}

export function tarHeader(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(block)
  bytes.write(name, 0)
  bytes.write('0000644\0', 100)
  bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  // The checksum counts itself as spaces.
  bytes.write('        ', 148)
  bytes.write('0', 156)
  bytes.write('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

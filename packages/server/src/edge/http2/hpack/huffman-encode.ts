import { codeLengths, codes } from './huffman-code.ts'

/** How many bytes `encodeHuffman` writes for these. */
export function huffmanLength(bytes: Uint8Array): number {
  let bits = 0
  for (const byte of bytes) bits += codeLengths[byte] as number
  return Math.ceil(bits / 8)
}

/** RFC 7541, 5.2. The last byte is padded with ones. */
export function encodeHuffman(bytes: Uint8Array, target: Uint8Array, start: number): void {
  let at = start
  let pending = 0
  let count = 0
  for (const byte of bytes) {
    const code = codes[byte] as number
    // Never more than 7 pending bits and a piece of at most 16, so that they fit into 32.
    for (let left = codeLengths[byte] as number; left > 0; ) {
      const piece = Math.min(left, 16)
      left -= piece
      pending = (pending << piece) | ((code >>> left) & ((1 << piece) - 1))
      for (count += piece; count >= 8; count -= 8) target[at++] = pending >>> (count - 8)
      pending &= (1 << count) - 1
    }
  }
  if (count > 0) target[at] = (pending << (8 - count)) | (0xff >> count)
}

import { codeLengths, codes } from './huffman-code.ts'

/** How many bytes `encodeHuffman` writes for this text, one byte per character. */
export function huffmanLength(text: string): number {
  let bits = 0
  for (let index = 0; index < text.length; index++)
    bits += codeLengths[text.charCodeAt(index) & 0xff] as number
  return (bits + 7) >> 3
}

/** RFC 7541, 5.2. The last byte is padded with ones. Returns where it ended. */
export function encodeHuffman(text: string, target: Uint8Array, start: number): number {
  let at = start
  let pending = 0
  let count = 0
  for (let index = 0; index < text.length; index++) {
    const byte = text.charCodeAt(index) & 0xff
    const code = codes[byte] as number
    let left = codeLengths[byte] as number
    // Up to 7 bits are pending, so a code of up to 24 fits into 32 with them; a longer one goes in two pieces.
    if (left > 24) {
      left -= 16
      pending = (pending << left) | (code >>> 16)
      for (count += left; count >= 8; count -= 8) target[at++] = pending >>> (count - 8)
      left = 16
    }
    pending = (pending << left) | (code & ((1 << left) - 1))
    for (count += left; count >= 8; count -= 8) target[at++] = pending >>> (count - 8)
  }
  if (count > 0) target[at++] = (pending << (8 - count)) | (0xff >> count)
  return at
}

/** Bodies in memory that are longer are sent in pieces of this size. */
export const pieceSize = 64 * 1024

/** Files are read in larger pieces, which costs less per byte, as long as not too many are in use at once. */
const largePieceSize = 256 * 1024
const maxLarge = 64

const maxSpare = 64
const spare: ArrayBufferLike[] = []
const spareLarge: ArrayBufferLike[] = []
let largeInUse = 0

/** Memory for one piece of a file, of this length or less. New memory for each would keep the garbage collector busy. */
export function takePiece(length: number): Buffer {
  if (length <= pieceSize || largeInUse === maxLarge)
    return Buffer.from(spare.pop() ?? new ArrayBuffer(pieceSize), 0, Math.min(length, pieceSize))
  largeInUse++
  const memory = spareLarge.pop() ?? new ArrayBuffer(largePieceSize)
  return Buffer.from(memory, 0, Math.min(length, largePieceSize))
}

/** To be called once nobody reads it any more. */
export function releasePiece({ buffer }: Buffer): void {
  if (buffer.byteLength === largePieceSize) {
    largeInUse--
    spareLarge.push(buffer)
  } else if (spare.length < maxSpare) spare.push(buffer)
}

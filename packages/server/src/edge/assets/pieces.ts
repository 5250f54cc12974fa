/** Longer bodies are read and sent in pieces of this size. */
export const pieceSize = 64 * 1024

const maxSpare = 64
const spare: ArrayBufferLike[] = []

/** Memory for one piece of a file. New memory for each would keep the garbage collector busy. */
export function takePiece(length: number): Buffer {
  return Buffer.from(spare.pop() ?? new ArrayBuffer(pieceSize), 0, length)
}

/** To be called once nobody reads it any more. */
export function releasePiece({ buffer }: Buffer): void {
  if (spare.length < maxSpare && buffer.byteLength === pieceSize) spare.push(buffer)
}

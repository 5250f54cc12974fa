import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieceSize, releasePiece, takePiece } from './pieces.ts'

const length = 10_000_000
const large = 4 * pieceSize

test('a long file is read in large pieces, unless too many are in use', () => {
  const pieces: Buffer[] = []
  for (let piece = takePiece(length); piece.length === large; piece = takePiece(length)) pieces.push(piece)
  assert.equal(pieces.length, 64)
  const small = takePiece(length)
  assert.equal(small.length, pieceSize)
  for (const piece of [...pieces, small]) releasePiece(piece)
  const again = takePiece(length)
  assert.equal(again.length, large)
  assert(pieces.some(({ buffer }) => buffer === again.buffer))
  releasePiece(again)
})

test('a piece is no longer than what is left of the file', () => {
  for (const left of [1, pieceSize, pieceSize + 1, large - 1]) {
    const piece = takePiece(left)
    assert.equal(piece.length, left)
    releasePiece(piece)
  }
})

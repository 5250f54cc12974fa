import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FramedPiece, longestFramed } from './framed-piece.ts'
import { flags, frameHeadSize, frameTypes, maxFrameSize } from './protocol.ts'

const file = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 251))

function readPiece(wanted: number): FramedPiece {
  const piece = new FramedPiece(wanted)
  let at = 0
  for (const part of piece.parts) at += file.copy(part, 0, at)
  assert.equal(at, piece.length)
  return piece
}

for (const wanted of [
  1,
  maxFrameSize - 1,
  maxFrameSize,
  maxFrameSize + 1,
  100_000,
  245_625,
  245_626,
  300_000,
]) {
  test(`${wanted} bytes of a file are sent as frames from where they were read`, () => {
    const piece = readPiece(wanted)
    const frames = piece.toFrames(0x01020305, flags.endStream)
    assert(frames.length <= longestFramed)
    assert(piece.length === wanted || frames.length === longestFramed)
    const content: Buffer[] = []
    for (let at = 0; at < frames.length; ) {
      const length = frames.readUIntBE(at, 3)
      const end = at + frameHeadSize + length
      assert(length > 0 && length <= maxFrameSize)
      const endFlag = end === frames.length ? flags.endStream : 0
      assert.deepEqual(
        [...frames.subarray(at + 3, at + frameHeadSize)],
        [frameTypes.data, endFlag, 1, 2, 3, 5],
      )
      content.push(frames.subarray(at + frameHeadSize, end))
      at = end
    }
    assert(Buffer.concat(content).equals(file.subarray(0, piece.length)))
    piece.release()
  })

  test(`${wanted} bytes of a file can be had without frames`, () => {
    const piece = readPiece(wanted)
    assert(piece.toContent().equals(file.subarray(0, piece.length)))
    piece.release()
  })
}

import type { Duplex } from 'node:stream'
import { isCutOff } from './cut-off.ts'

const endOfHead = Buffer.from('\r\n\r\n')

/** Heads, or what looks like the end of one, in a piece. */
const headsPerPiece = 16

/**
 * Gives what arrives on a connection to its readers in pieces of a few requests, and nothing more once the client is cut
 * off: node:http makes a request and a response of every head in a chunk, a thousand of them in 64 KiB, even
 * where the first few were reason enough to cut the client off.
 */
export function readInPieces(socket: Duplex): void {
  const readers = socket.listeners('data') as ((piece: Buffer) => void)[]
  for (const reader of readers) socket.off('data', reader)
  socket.on('data', (chunk: Buffer) => {
    for (const piece of piecesOf(chunk)) {
      if (isCutOff(socket)) {
        // node:http resumes a request that was answered before its body was read.
        socket.pause()
        return
      }
      for (const reader of readers) reader.call(socket, piece)
    }
  })
}

export function* piecesOf(chunk: Buffer): Generator<Buffer> {
  let from = 0
  let heads = 0
  for (let at = chunk.indexOf(endOfHead); at !== -1; at = chunk.indexOf(endOfHead, at + endOfHead.length)) {
    heads++
    if (heads % headsPerPiece !== 0) continue
    yield chunk.subarray(from, at + endOfHead.length)
    from = at + endOfHead.length
  }
  if (from < chunk.length) yield chunk.subarray(from)
}

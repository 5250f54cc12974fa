import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Bytes, or characters of a text. */
const pieceSize = 64 * 1024

/**
 * Large answers are written piece by piece, each once the one before it was taken: written at once, a copy of the whole
 * would wait on every connection whose client does not read.
 */
export function answerInPieces(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    if (payload.length <= pieceSize) return payload
    reply.header('Content-Length', Buffer.byteLength(payload))
    return Readable.from(pieces(payload), { objectMode: false, highWaterMark: pieceSize })
  })
}

function* pieces(payload: string | Buffer): Generator<Buffer> {
  for (let from = 0; from < payload.length; ) {
    let to = Math.min(from + pieceSize, payload.length)
    if (typeof payload === 'string') {
      // Never between the two halves of one character.
      if (/[\uD800-\uDBFF]/.test(payload.charAt(to - 1))) to++
      yield Buffer.from(payload.slice(from, to))
    } else yield payload.subarray(from, to)
    from = to
  }
}

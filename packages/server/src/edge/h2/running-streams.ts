import { constants, type ServerHttp2Stream } from 'node:http2'
import { looksInTime } from '../connections.ts'

/** What has to be taken in the time that is given to who takes nothing. */
const pieceSize = 64 * 1024

interface Seen {
  /** Whether something was taken since the last look. */
  hasMoved: boolean
  unmoved: number
}

/**
 * The streams of a session that are not over. One whose client does not take what it asked for is ended, whatever else
 * moves on the connection: node's own timeout of a stream takes pings for a sign of life.
 */
export class RunningStreams {
  readonly #streams = new Map<ServerHttp2Stream, Seen>()

  get size(): number {
    return this.#streams.size
  }

  add(stream: ServerHttp2Stream): void {
    const seen = { hasMoved: false, unmoved: 0 }
    this.#streams.set(stream, seen)
    stream.on('drain', () => {
      seen.hasMoved = true
    })
  }

  delete(stream: ServerHttp2Stream): void {
    this.#streams.delete(stream)
  }

  look(): void {
    for (const [stream, seen] of this.#streams) {
      seen.unmoved = seen.hasMoved || isOurTurn(stream) ? 0 : seen.unmoved + 1
      seen.hasMoved = false
      if (seen.unmoved >= looksInTime * piecesOf(stream)) stream.close(constants.NGHTTP2_CANCEL)
    }
  }
}

/** Nothing is there to be taken yet. */
function isOurTurn(stream: ServerHttp2Stream): boolean {
  return stream.writableLength === 0 && !stream.writableEnded
}

/** What was written in one piece says nothing until all of it was taken, and the slow need longer for more. */
function piecesOf(stream: ServerHttp2Stream): number {
  return Math.max(1, Math.ceil(stream.writableLength / pieceSize))
}

import type { Writable } from 'node:stream'
import type { Logger } from 'pino'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { type FairQueue, QueueFullError } from '../../kernel/fair-queue.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import { type BlobBody, type ContentCache, sliceContent } from '../assets/content-cache.ts'
import { unavailablePage } from '../assets/pages.ts'
import type { Reply } from '../assets/reply.ts'

/** The response of either protocol. */
export interface ResponseStream extends Writable {
  readonly headersSent: boolean
}

/** How a protocol writes replies. */
export interface ReplyWriter<Out extends ResponseStream> {
  writeHead(out: Out, reply: Reply): void
  writeWhole(out: Out, reply: Reply, content: Buffer): void
  /** Calls back when writes are sent, and no longer wait behind another answer. */
  whenReady(out: Out, next: () => void): void
  addressOf(out: Out): string | undefined
}

export interface ReplySenderParts<Out extends ResponseStream> {
  blobs: Pick<BlobStore, 'open'>
  contents: ContentCache
  /** Bounds the open files, and with them what is read ahead. */
  openFiles: FairQueue
  isProxy: (address: string) => boolean
  log: Pick<Logger, 'error'>
  writer: ReplyWriter<Out>
}

const nothing = Buffer.alloc(0)

/** How much of a cached file is written at once. */
export const pieceSize = 64 * 1024

/** Sends replies. Cached content is sent in one write, or a few if it is large, without a promise. */
export function createReplySender<Out extends ResponseStream>(
  parts: ReplySenderParts<Out>,
): (out: Out, reply: Reply) => void {
  const { blobs, contents, openFiles, isProxy, log, writer } = parts
  return send

  function send(out: Out, reply: Reply): void {
    const { body } = reply
    switch (body.kind) {
      case 'none':
        sendBytes(out, reply, nothing)
        break
      case 'bytes':
        sendBytes(out, reply, body.bytes)
        break
      case 'blob':
        sendBlob(out, reply, body)
    }
  }

  function sendBlob(out: Out, reply: Reply, body: BlobBody): void {
    const content = contents.get(body.id)
    if (content !== undefined) sendBytes(out, reply, sliceContent(content, body))
    else if (contents.accepts(body.size)) {
      contents.load(body.id, body.key, body.size).then(
        (loaded) => sendBytes(out, reply, sliceContent(loaded, body)),
        (error: unknown) => sendUnavailable(out, error),
      )
    } else writer.whenReady(out, () => sendFromQueue(out, reply, body))
  }

  /** A client that does not read keeps files open; over its share it only waits for itself. */
  function sendFromQueue(out: Out, reply: Reply, body: BlobBody): void {
    const caller = callerUnlessProxy(writer.addressOf(out) ?? '', isProxy)
    openFiles
      .run(caller, () => sendStream(out, reply, body))
      .catch((error: unknown) => {
        if (error instanceof QueueFullError) send(out, unavailablePage)
        else sendUnavailable(out, error)
      })
  }

  /**
   * The head is sent with the first bytes, so that a file that cannot be opened still gets a proper answer. Resolves when
   * the file is closed.
   */
  function sendStream(out: Out, reply: Reply, body: BlobBody): Promise<void> {
    if (out.destroyed) return Promise.resolve()
    const expected = body.range === null ? body.size : body.range.end - body.range.start + 1
    const source = blobs.open(body.key, body.range ?? undefined)
    let sent = 0
    source.on('data', (chunk: Buffer) => {
      // The client left while the file was read.
      if (out.destroyed) return
      if (sent === 0 && !begin(out, reply)) {
        source.destroy()
        return
      }
      sent += chunk.length
      if (!out.write(chunk)) source.pause()
    })
    source.on('end', () =>
      sent === expected ? out.end() : source.destroy(new Error(`${body.id} ends early`)),
    )
    source.on('error', (error) => sendUnavailable(out, error))
    out.on('drain', () => source.resume())
    out.on('close', () => source.destroy())
    return new Promise((resolve) => source.once('close', resolve))
  }

  function sendBytes(out: Out, reply: Reply, content: Buffer): void {
    if (out.destroyed) return
    if (content.length > pieceSize) {
      writer.whenReady(out, () => sendPieces(out, reply, content))
      return
    }
    try {
      writer.writeWhole(out, reply, content)
    } catch (error) {
      sendUnavailable(out, error)
    }
  }

  /** TLS would encrypt and buffer everything it is given, whether or not the client reads it. */
  function sendPieces(out: Out, reply: Reply, content: Buffer): void {
    if (out.destroyed || !begin(out, reply)) return
    let at = 0
    writeMore()

    function writeMore(): void {
      while (at + pieceSize < content.length) {
        const piece = content.subarray(at, at + pieceSize)
        at += pieceSize
        if (!out.write(piece)) {
          out.once('drain', writeMore)
          return
        }
      }
      out.end(content.subarray(at))
    }
  }

  /** A header that the protocol rejects must end the answer, not the process. */
  function begin(out: Out, reply: Reply): boolean {
    try {
      writer.writeHead(out, reply)
      return true
    } catch (error) {
      sendUnavailable(out, error)
      return false
    }
  }

  function sendUnavailable(out: Out, error: unknown): void {
    log.error({ err: error }, 'could not send published content')
    if (out.headersSent) out.destroy()
    else send(out, unavailablePage)
  }
}

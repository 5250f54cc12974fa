import type { Writable } from 'node:stream'
import type { Logger } from 'pino'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { type FairQueue, QueueFullError } from '../../kernel/fair-queue.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import { type BlobBody, type Content, type ContentCache, sliceContent } from '../assets/content-cache.ts'
import { unavailablePage } from '../assets/pages.ts'
import type { Reply } from '../assets/reply.ts'

/** What a protocol calls a response: something to write to that says whether its head is out. */
export interface ResponseStream extends Writable {
  readonly headersSent: boolean
}

/** How replies are written in a protocol. */
export interface ReplyWriter<Out extends ResponseStream> {
  writeHead(out: Out, reply: Reply): void
  writeWhole(out: Out, reply: Reply, content: Content | Uint8Array): void
  /** Calls back when what is written will be on its way and not only wait. */
  whenReady(out: Out, next: () => void): void
  addressOf(out: Out): string | undefined
}

export interface ReplySenderParts<Out extends ResponseStream> {
  blobs: Pick<BlobStore, 'open'>
  contents: ContentCache
  /** Files that are open at one time, and what is read ahead of each. */
  openFiles: FairQueue
  isProxy: (address: string) => boolean
  log: Pick<Logger, 'error'>
  writer: ReplyWriter<Out>
}

/** What is written at once of content that is in memory. */
export const pieceSize = 64 * 1024

/** Sends replies. What is in memory leaves in one write, or a few if it is large, and without a promise. */
export function createReplySender<Out extends ResponseStream>(
  parts: ReplySenderParts<Out>,
): (out: Out, reply: Reply) => void {
  const { blobs, contents, openFiles, isProxy, log, writer } = parts
  return send

  function send(out: Out, reply: Reply): void {
    const { body } = reply
    switch (body.kind) {
      case 'none':
        sendBytes(out, reply, '')
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
    } else writer.whenReady(out, () => sendInTurn(out, reply, body))
  }

  /** Who leaves what it asked for unread holds files open, and beyond its share waits for itself. */
  function sendInTurn(out: Out, reply: Reply, body: BlobBody): void {
    const caller = callerUnlessProxy(writer.addressOf(out) ?? '', isProxy)
    openFiles
      .run(caller, () => sendStream(out, reply, body))
      .catch((error: unknown) => {
        if (error instanceof QueueFullError) send(out, unavailablePage)
        else sendUnavailable(out, error)
      })
  }

  /**
   * The headers wait for the first bytes, so that a file that cannot be opened is still answered in full. Resolves when
   * the file is closed.
   */
  function sendStream(out: Out, reply: Reply, body: BlobBody): Promise<void> {
    if (out.destroyed) return Promise.resolve()
    const expected = body.range === null ? body.size : body.range.end - body.range.start + 1
    const source = blobs.open(body.key, body.range ?? undefined)
    let sent = 0
    source.on('data', (chunk: Buffer) => {
      // Gone while the file was read: there is nobody to write to.
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

  function sendBytes(out: Out, reply: Reply, content: Content | Uint8Array): void {
    if (out.destroyed) return
    if (content.length > pieceSize && typeof content !== 'string') {
      writer.whenReady(out, () => sendPieces(out, reply, content))
      return
    }
    try {
      writer.writeWhole(out, reply, content)
    } catch (error) {
      sendUnavailable(out, error)
    }
  }

  /** TLS encrypts all that it is given into memory of its own, whether or not the client takes any of it. */
  function sendPieces(out: Out, reply: Reply, content: Uint8Array): void {
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

  /** Should a header ever be one that the protocol refuses, that is the end of an answer and not of the process. */
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
    log.error({ err: error }, 'published content could not be sent')
    if (out.headersSent) out.destroy()
    else send(out, unavailablePage)
  }
}

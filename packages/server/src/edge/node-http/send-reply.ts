import type { Writable } from 'node:stream'
import type { Logger } from 'pino'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import { type Body, isTemporary } from '../assets/body.ts'
import { unavailablePage } from '../assets/pages.ts'
import { pieceSize } from '../assets/pieces.ts'
import type { Reply } from '../assets/reply.ts'
import type { SiteAnswers } from '../site-answers.ts'

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
  answers: Pick<SiteAnswers, 'openBody' | 'responses'>
  isProxy: (address: string) => boolean
  log: Pick<Logger, 'error'>
  writer: ReplyWriter<Out>
}

/** Sends replies. Cached content is sent in one write, or a few if it is large, without a promise. */
export function createReplySender<Out extends ResponseStream>(
  parts: ReplySenderParts<Out>,
): (out: Out, reply: Reply) => void {
  const { answers, isProxy, log, writer } = parts
  return send

  function send(out: Out, reply: Reply): void {
    const body = answers.openBody(reply.body, callerUnlessProxy(writer.addressOf(out) ?? '', isProxy))
    if (body instanceof Promise) {
      body.then(
        (opened) => sendBody(out, reply, opened),
        (error: unknown) => sendUnavailable(out, error),
      )
    } else sendBody(out, reply, body)
  }

  function sendBody(out: Out, reply: Reply, body: Body): void {
    if (body.bytes !== null) sendBytes(out, reply, body.bytes)
    else writer.whenReady(out, () => void sendFile(out, reply, body))
  }

  /** The head is sent with the first bytes, so that a file that cannot be read still gets a proper answer. */
  async function sendFile(out: Out, reply: Reply, body: Body): Promise<void> {
    const close = () => body.close()
    out.once('close', close)
    try {
      for (let at = 0; at < body.length && !out.destroyed; ) {
        const piece = Buffer.allocUnsafe(Math.min(pieceSize, body.length - at))
        await body.read(at, piece)
        if (out.destroyed || (at === 0 && !begin(out, reply))) return
        at += piece.length
        if (at === body.length) out.end(piece)
        else if (!out.write(piece)) await whenDrained(out)
      }
    } catch (error) {
      if (!out.destroyed) sendUnavailable(out, error)
    } finally {
      out.off('close', close)
      close()
    }
  }

  function sendBytes(out: Out, reply: Reply, content: Buffer): void {
    if (out.destroyed) return
    if (content.length > pieceSize) {
      writer.whenReady(out, () => sendPieces(out, reply, content))
      return
    }
    try {
      writer.writeWhole(out, reply, content)
      answers.responses.count(reply.status)
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
      answers.responses.count(reply.status)
      return true
    } catch (error) {
      sendUnavailable(out, error)
      return false
    }
  }

  function sendUnavailable(out: Out, error: unknown): void {
    if (!isTemporary(error)) log.error({ err: error }, 'could not send published content')
    if (out.headersSent) out.destroy()
    else send(out, unavailablePage)
  }
}

/** Or closed. */
function whenDrained(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      out.off('drain', done).off('close', done)
      resolve()
    }
    out.on('drain', done).on('close', done)
  })
}

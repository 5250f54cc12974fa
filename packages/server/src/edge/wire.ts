import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { BlobStore } from '../blobs/blob-store.ts'
import { type BlobBody, partOf } from './content-at-hand.ts'
import type { Content, ContentCache } from './content-cache.ts'
import { unavailablePage } from './pages.ts'
import type { Reply } from './response.ts'

export interface WireParts {
  blobs: Pick<BlobStore, 'open'>
  contents: ContentCache
  log: Pick<Logger, 'error'>
}

/** Writes replies to node's HTTP/1.1. What is in memory leaves in one write and without a promise. */
export function createWire({ blobs, contents, log }: WireParts): (res: ServerResponse, reply: Reply) => void {
  return send

  function send(res: ServerResponse, reply: Reply): void {
    const { body } = reply
    switch (body.kind) {
      case 'none':
        sendBytes(res, reply, undefined)
        break
      case 'bytes':
        sendBytes(res, reply, body.bytes)
        break
      case 'blob':
        sendBlob(res, reply, body)
    }
  }

  function sendBlob(res: ServerResponse, reply: Reply, body: BlobBody): void {
    const content = contents.get(body.id)
    if (content !== undefined) sendBytes(res, reply, partOf(content, body))
    else if (contents.takes(body.size)) {
      contents.load(body.id, body.key, body.size).then(
        (loaded) => sendBytes(res, reply, partOf(loaded, body)),
        (error: unknown) => sendUnavailable(res, error),
      )
    } else sendStream(res, reply, body)
  }

  /** The headers wait for the first bytes, so that a file that cannot be opened is still answered in full. */
  function sendStream(res: ServerResponse, reply: Reply, body: BlobBody): void {
    if (res.destroyed) return
    if (res.socket === null) {
      // Pipelined, and not its turn yet: a file is opened only for who can take it.
      res.once('socket', () => sendStream(res, reply, body))
      return
    }
    const expected = body.range === null ? body.size : body.range.end - body.range.start + 1
    const source = blobs.open(body.key, body.range ?? undefined)
    let sent = 0
    source.on('data', (chunk: Buffer) => {
      if (sent === 0) res.writeHead(reply.status, reply.headers)
      sent += chunk.length
      if (!res.write(chunk)) source.pause()
    })
    source.on('end', () =>
      sent === expected ? res.end() : source.destroy(new Error(`${body.id} ends early`)),
    )
    source.on('error', (error) => sendUnavailable(res, error))
    res.on('drain', () => source.resume())
    res.on('close', () => source.destroy())
  }

  function sendUnavailable(res: ServerResponse, error: unknown): void {
    log.error({ err: error }, 'published content could not be read')
    if (res.headersSent) res.destroy()
    else send(res, unavailablePage)
  }
}

function sendBytes(res: ServerResponse, reply: Reply, content: Content | Uint8Array | undefined): void {
  // Gone while the content was read: there is nobody to write to.
  if (res.destroyed) return
  res.writeHead(reply.status, reply.headers)
  res.end(content, 'latin1')
}

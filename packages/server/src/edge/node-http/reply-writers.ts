import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Reply } from '../assets/reply.ts'
import type { ReplyWriter } from './send-reply.ts'

/** Writes replies to node's HTTP/1.1. */
export const http1Writer: ReplyWriter<ServerResponse> = {
  writeHead(res, { status, headers }) {
    res.writeHead(status, headers)
  },
  writeWhole(res, { status, headers }, content) {
    res.writeHead(status, headers)
    res.end(content)
  },
  whenReady(res, next) {
    // Pipelined behind another answer: the file is opened only when it can be sent.
    if (res.socket === null) res.once('socket', next)
    else next()
  },
  addressOf: (res) => res.req.socket.remoteAddress,
}

/** Connection-specific fields are not allowed in HTTP/2 (RFC 9113, 8.2.2). */
const connectionField = 'connection'

/** The reply for a file is the same object every time. */
const cachedHeaders = new WeakMap<Reply, readonly string[]>()

/** Writes replies to node's HTTP/2 streams. Their session cancels stalled ones. */
export const http2Writer: ReplyWriter<ServerHttp2Stream> = {
  writeHead(stream, reply) {
    stream.respond(headersOf(reply))
  },
  writeWhole(stream, reply, content) {
    if (content.length === 0) stream.respond(headersOf(reply), { endStream: true })
    else {
      stream.respond(headersOf(reply))
      stream.end(content)
    }
  },
  whenReady: (_stream, next) => next(),
  addressOf: (stream) => stream.session?.socket.remoteAddress,
}

/** As a list, which costs node less than an object. */
function headersOf(reply: Reply): readonly string[] {
  const known = cachedHeaders.get(reply)
  if (known !== undefined) return known
  const headers = [':status', String(reply.status)]
  for (let at = 0; at + 1 < reply.headers.length; at += 2) {
    const [name = '', value = ''] = reply.headers.slice(at, at + 2)
    if (name.toLowerCase() !== connectionField) headers.push(name.toLowerCase(), value)
  }
  cachedHeaders.set(reply, headers)
  return headers
}

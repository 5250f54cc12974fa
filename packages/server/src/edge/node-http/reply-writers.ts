import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Reply } from '../assets/reply.ts'
import type { ReplyWriter } from './send-reply.ts'

/** Replies on node's HTTP/1.1. */
export const http1Writer: ReplyWriter<ServerResponse> = {
  writeHead(res, { status, headers }) {
    res.writeHead(status, headers)
  },
  writeWhole(res, { status, headers }, content) {
    res.writeHead(status, headers)
    res.end(content, 'latin1')
  },
  whenReady(res, next) {
    // Pipelined, and not its turn yet: a file is opened only for who can take it.
    if (res.socket === null) res.once('socket', next)
    else next()
  },
  addressOf: (res) => res.req.socket.remoteAddress,
}

/** Fields about the connection have no place in HTTP/2 (RFC 9113, 8.2.2). */
const ofConnection = 'connection'

/** Replies of files are the same value every time. */
const made = new WeakMap<Reply, readonly string[]>()

/** Replies on streams of node's HTTP/2. Whether they are taken, their session watches. */
export const http2Writer: ReplyWriter<ServerHttp2Stream> = {
  writeHead(stream, reply) {
    stream.respond(headersOf(reply))
  },
  writeWhole(stream, reply, content) {
    if (content.length === 0) stream.respond(headersOf(reply), { endStream: true })
    else {
      stream.respond(headersOf(reply))
      stream.end(content, 'latin1')
    }
  },
  whenReady: (_stream, next) => next(),
  addressOf: (stream) => stream.session?.socket.remoteAddress,
}

/** As a list, which node has less to do with than with an object. */
function headersOf(reply: Reply): readonly string[] {
  const known = made.get(reply)
  if (known !== undefined) return known
  const headers = [':status', String(reply.status)]
  for (let at = 0; at + 1 < reply.headers.length; at += 2) {
    const [name = '', value = ''] = reply.headers.slice(at, at + 2)
    if (name.toLowerCase() !== ofConnection) headers.push(name.toLowerCase(), value)
  }
  made.set(reply, headers)
  return headers
}

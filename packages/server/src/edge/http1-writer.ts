import type { ServerResponse } from 'node:http'
import type { Writer } from './wire.ts'

/** Replies on node's HTTP/1.1. */
export const http1Writer: Writer<ServerResponse> = {
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

import { createDropInput } from '../accept/drop-input.ts'
import type { SiteConnections } from '../accept/site-connections.ts'
import { AnswerBuffer } from './answer-buffer.ts'
import { Http1Connection } from './connection.ts'
import type { Http1Context, Http1Parts } from './context.ts'

/** Connections for sites that speak HTTP/1.1. */
export function createHttp1Connections(parts: Http1Parts): SiteConnections {
  const open = new Set<Http1Connection>()
  const context: Http1Context = {
    ...parts,
    out: new AnswerBuffer(),
    dropInput: createDropInput(),
    stage: 'open',
  }
  return {
    accept(socket, servername) {
      const connection = new Http1Connection(socket, servername, context)
      open.add(connection)
      socket.stream.once('close', () => open.delete(connection))
      return connection
    },
    drain() {
      context.stage = 'draining'
    },
    close() {
      context.stage = 'closing'
      for (const connection of open) connection.close()
    },
  }
}

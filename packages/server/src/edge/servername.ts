import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** The name that the handshake of a connection was for; null over plain HTTP. */
export function servernameOf(socket: Duplex): string | null {
  return socket instanceof TLSSocket ? String(socket.servername) : null
}

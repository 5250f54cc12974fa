import type { Socket } from 'node:net'
import { type ClientHello, readClientHello } from './client-hello.ts'

/**
 * Reads a socket up to the end of its ClientHello, then pauses it and puts the bytes back for OpenSSL. Calls back with
 * null, and the bytes, if they are not a ClientHello.
 */
export function readHelloFrom(
  socket: Socket,
  onHello: (hello: ClientHello | null, bytes: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  let needed = 1
  socket.on('data', read)

  function read(chunk: Buffer): void {
    chunks.push(chunk)
    length += chunk.length
    if (length < needed) return
    const bytes = Buffer.concat(chunks)
    const hello = readClientHello(bytes)
    if (hello !== null && 'needs' in hello) {
      needed = hello.needs
      return
    }
    socket.off('data', read)
    socket.pause()
    if (hello !== null) socket.unshift(bytes)
    onHello(hello, bytes)
  }
}

import type { Duplex } from 'node:stream'

/** For sockets and streams: a close always follows an error, and there is nobody to report it to. */
export function ignoreError(): void {}

const lingerMs = 1_000

/**
 * Ends a connection after what was written to it, then reads and drops what the client still sends, for a second or until
 * it ends its side. Closing with unread input would reset the connection, and the client might lose the answer.
 */
export function closeLingering(socket: Duplex): void {
  if (socket.destroyed) return
  if (socket.writableFinished) linger(socket)
  else {
    socket.once('finish', () => linger(socket))
    socket.end()
  }
  socket.resume()
}

function linger(socket: Duplex): void {
  if (socket.readableEnded) {
    socket.destroy()
    return
  }
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroy())
}

import type { Duplex } from 'node:stream'

const patience = 1_000

/**
 * Ends a connection after what was written to it. For a second more, or until the client ends its side, what it still
 * sends is read and dropped: closing over unread input would reset the connection, and the client might lose the answer.
 */
export function closeLingering(socket: Duplex): void {
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
  const late = setTimeout(() => socket.destroy(), patience)
  socket.once('close', () => clearTimeout(late))
  socket.once('end', () => socket.destroy())
}

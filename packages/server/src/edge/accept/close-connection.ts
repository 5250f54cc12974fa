import type { Duplex } from 'node:stream'

/** For sockets and streams: an error is always followed by a close, and there is nobody left to tell. */
export function ignoreError(): void {}

/** Long enough that coming back at once is no way to have more done. */
const heldFor = 3_000

const cut = new WeakSet<Duplex>()

/**
 * Ends the connection of a client that asks for more than it may. For a moment it is held without being read: one that
 * is closed at once is opened again at once, and every opening costs more than it did to refuse.
 */
export function cutOff(socket: Duplex): void {
  if (cut.has(socket)) return
  cut.add(socket)
  socket.pause()
  // Not all at once: whoever is let go together comes back together.
  setTimeout(() => socket.destroy(), heldFor * (0.5 + Math.random())).unref()
}

/** Whether nothing that comes on it counts any more. */
export function isCutOff(socket: Duplex): boolean {
  return socket.destroyed || cut.has(socket)
}

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

import type { Duplex } from 'node:stream'

/** For sockets and streams: a close always follows an error, and there is nobody to report it to. */
export function ignoreError(): void {}

/** Long enough that reconnecting gains the client nothing. */
const holdMs = 3_000

const cut = new WeakSet<Duplex>()

/**
 * Ends the connection of a client over its limits. It is held open and unread for a moment first: a client that is closed
 * immediately reconnects immediately, and accepting a connection costs more than refusing a request.
 */
export function cutOff(socket: Duplex): void {
  if (cut.has(socket)) return
  cut.add(socket)
  socket.pause()
  // With jitter, so that they do not all reconnect at the same moment.
  setTimeout(() => socket.destroy(), holdMs * (0.5 + Math.random())).unref()
}

export function isCutOff(socket: Duplex): boolean {
  return socket.destroyed || cut.has(socket)
}

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

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** For sockets and streams: a close always follows an error, and there is nobody to report it to. */
export function ignoreError(): void {}

const lingerMs = 1_000
const longestLingerMs = 30_000

/**
 * Ends a connection after what was written to it, then reads and drops what the client still sends, for a second or until
 * it ends its side. Closing with unread input would reset the connection, and the client might lose the answer.
 */
export function closeLingering(socket: Duplex, goesOn: () => boolean = never): void {
  if (socket.destroyed) return
  if (socket.writableFinished) linger(socket, goesOn)
  else {
    socket.once('finish', () => linger(socket, goesOn))
    socket.end()
  }
  socket.resume()
}

/**
 * The same for a client that says now and then what it has read of an answer, which may still be on its way for long. It
 * goes on for as long as the client says something every second, up to half a minute.
 */
export function closeWhenRead(socket: Socket): void {
  const end = performance.now() + longestLingerMs
  let before = socket.bytesRead
  closeLingering(socket, () => {
    const hasMore = socket.bytesRead !== before && performance.now() < end
    before = socket.bytesRead
    return hasMore
  })
}

function never(): boolean {
  return false
}

function linger(socket: Duplex, goesOn: () => boolean): void {
  if (socket.readableEnded) {
    socket.destroy()
    return
  }
  const timer = setTimeout(() => {
    if (goesOn()) timer.refresh()
    else socket.destroy()
  }, lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroy())
}

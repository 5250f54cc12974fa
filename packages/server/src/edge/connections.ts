import type { Server, Socket } from 'node:net'

/** A connection is closed when this many looks in a row find it unmoved. */
const looks = 4

export interface Connections {
  count(): number
  cut(): void
  /** From now on closes this one if no byte moves on it for too long. */
  watch(socket: Socket): void
}

/**
 * Follows the connections of a server and closes those on which no byte moved for `idleTimeout`. They are looked at
 * from time to time, all at once: a timer of each one's own would be set anew by every read and write.
 */
export function followConnections(server: Server, idleTimeout: number): Connections {
  const open = new Set<Socket>()
  const watched = new Map<Socket, { moved: number; unmoved: number }>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const looking = setInterval(look, idleTimeout / looks).unref()
  server.once('close', () => clearInterval(looking))
  return { count: () => open.size, cut, watch }

  function cut(): void {
    for (const socket of open) socket.destroy()
  }

  function watch(socket: Socket): void {
    watched.set(socket, { moved: 0, unmoved: 0 })
    socket.once('close', () => watched.delete(socket))
  }

  function look(): void {
    for (const [socket, seen] of watched) {
      const moved = socket.bytesRead + socket.bytesWritten - socket.writableLength
      seen.unmoved = moved === seen.moved ? seen.unmoved + 1 : 0
      seen.moved = moved
      if (seen.unmoved >= looks) socket.destroy()
    }
  }
}

import type { Server, Socket } from 'node:net'

/** A connection is closed when this many looks in a row find it unmoved. */
const looks = 4

export interface Connections {
  count(): number
  cut(): void
}

/**
 * Follows the connections of a server and closes those on which no byte moved for `idleTimeout`. They are looked at
 * from time to time, all at once: a timer of each one's own would be set anew by every read and write.
 */
export function followConnections(server: Server, idleTimeout: number): Connections {
  const open = new Map<Socket, { moved: number; unmoved: number }>()
  server.on('connection', (socket) => {
    open.set(socket, { moved: 0, unmoved: 0 })
    socket.once('close', () => open.delete(socket))
  })
  const looking = setInterval(look, idleTimeout / looks).unref()
  server.once('close', () => clearInterval(looking))
  return { count: () => open.size, cut }

  function cut(): void {
    for (const socket of open.keys()) socket.destroy()
  }

  function look(): void {
    for (const [socket, seen] of open) {
      const moved = socket.bytesRead + socket.bytesWritten - socket.writableLength
      seen.unmoved = moved === seen.moved ? seen.unmoved + 1 : 0
      seen.moved = moved
      if (seen.unmoved >= looks) socket.destroy()
    }
  }
}

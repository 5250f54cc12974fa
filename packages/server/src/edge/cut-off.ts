import type { Duplex } from 'node:stream'

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

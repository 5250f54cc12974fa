import { type Server, Socket } from 'node:net'

/** What Node passes between processes for a socket. Not documented: decision 22 says why we use it. */
export interface ListeningHandle {
  close(): void
}

/** A socket that listens, opened here or by another process. */
export interface ListeningSocket {
  host: string
  port: number
  handle: ListeningHandle
}

export function handleOf(server: Server): ListeningHandle | null {
  return (server as Server & { _handle: ListeningHandle | null })._handle
}

/** Nothing is accepted here: a `Server` would start immediately. */
export function handleOfDescriptor(fd: number): ListeningHandle {
  const socket = new Socket({ fd, readable: false, writable: false })
  const handle = (socket as Socket & { _handle?: ListeningHandle })._handle
  if (handle === undefined) throw new Error(`File descriptor ${fd} is not a socket`)
  return handle
}

/** Sockets from another process, each to be used once. */
export class InheritedSockets {
  #left: readonly ListeningSocket[]

  constructor(sockets: readonly ListeningSocket[] = []) {
    this.#left = sockets
  }

  take(host: string, port: number): ListeningHandle[] {
    const isWanted = (socket: ListeningSocket) => socket.port === port && socket.host === host
    const taken = this.#left.filter(isWanted)
    this.#left = this.#left.filter((socket) => !isWanted(socket))
    return taken.map(({ handle }) => handle)
  }

  /** Nobody would answer on these. */
  closeRest(): void {
    for (const { handle } of this.#left) handle.close()
    this.#left = []
  }
}

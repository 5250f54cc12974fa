import { once } from 'node:events'
import { connect } from 'node:tls'

/** A session that a server has given away in a handshake for this name, to be resumed by whom it concerns. */
export async function newTlsSession(port: number, servername: string, root: string): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port, servername, ca: root })
  try {
    const [session] = (await once(socket, 'session')) as [Buffer]
    return session
  } finally {
    socket.destroy()
  }
}

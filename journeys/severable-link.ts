import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A way to a server that can be cut: to those who use it, the server is down then. */
export interface SeverableLink extends AsyncDisposable {
  /** The address of the server as it was given, by way of the link. */
  url: string
  sever(): Promise<void>
  mend(): Promise<void>
}

export async function linkTo(serverUrl: string): Promise<SeverableLink> {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const join = (near: Socket) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
      socket.on('error', () => {})
    }
    near.pipe(far).pipe(near)
  }
  const listen = async (at: number) => {
    const server = createServer(join).listen(at, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server: Server = await listen(0)
  const ownPort = (server.address() as AddressInfo).port
  const sever = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${ownPort}`
  return {
    url: url.href,
    sever,
    async mend() {
      server = await listen(ownPort)
    },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await sever()
    },
  }
}

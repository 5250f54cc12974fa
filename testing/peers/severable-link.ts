import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A way to a server that can be cut: to those who use it, the server is down then. */
export interface SeverableLink extends AsyncDisposable {
  /** The address of the server as it was given, by way of the link. */
  url: string
  sever(): Promise<void>
  mend(): Promise<void>
  /**
   * Nothing goes through the connections of this moment any more, and neither end hears of it, as when a firewall
   * forgets them. Those that are made afterwards work.
   */
  freeze(): void
}

/** The two ends of a connection. When one of them is closed, the other is too. */
class Pair {
  readonly #ends: readonly [Socket, Socket]
  #isFrozen = false

  constructor(near: Socket, far: Socket, onClosed: (pair: Pair) => void) {
    this.#ends = [near, far]
    for (const end of this.#ends) {
      end.on('error', () => {})
      end.on('close', () => {
        if (!this.#isFrozen) this.close()
        if (near.closed && far.closed) onClosed(this)
      })
    }
    near.pipe(far).pipe(near)
  }

  freeze(): void {
    this.#isFrozen = true
    for (const end of this.#ends) end.unpipe().pause()
  }

  close(): void {
    for (const end of this.#ends) end.destroy()
  }
}

export async function startSeverableLink(serverUrl: string): Promise<SeverableLink> {
  const { hostname, port } = new URL(serverUrl)
  const pairs = new Set<Pair>()
  const join = (near: Socket) => {
    const far = connect(Number(port), hostname)
    pairs.add(new Pair(near, far, (pair) => pairs.delete(pair)))
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
    for (const pair of pairs) pair.close()
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
    freeze() {
      for (const pair of pairs) pair.freeze()
    },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await sever()
    },
  }
}

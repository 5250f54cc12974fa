import type { Socket } from 'node:net'
import type { ProxyFields } from '../accept/forwarded.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'

/** Who is at the other end. Looked up once, and only if somebody asks. */
export class ConnectedClient {
  readonly #stream: Socket
  readonly #proxies: ProxyFields
  #known: { caller: string | null } | null = null

  constructor(stream: Socket, proxies: ProxyFields) {
    this.#stream = stream
    this.#proxies = proxies
  }

  readonly address = (): string | undefined => this.#stream.remoteAddress

  /** Null for a trusted proxy. */
  get caller(): string | null {
    this.#known ??= { caller: callerUnlessProxy(this.address() ?? '', this.#proxies.isProxy) }
    return this.#known.caller
  }

  /** How it tells about visitors; null if it is no proxy. */
  readonly proxy = (): ProxyFields | null => (this.isProxy ? this.#proxies : null)

  get isProxy(): boolean {
    return this.caller === null
  }
}

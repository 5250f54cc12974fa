import type { Socket } from 'node:net'
import { fieldsFor, type ProxyFields } from '../accept/forwarded.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'

/** Who is at the other end. Looked up once, and only if somebody asks. */
export class ConnectedClient {
  readonly #stream: Socket
  readonly #proxies: ProxyFields
  #known: { caller: string | null; proxy: ProxyFields | null } | null = null

  constructor(stream: Socket, proxies: ProxyFields) {
    this.#stream = stream
    this.#proxies = proxies
  }

  readonly address = (): string | undefined => this.#stream.remoteAddress

  /** Null for a trusted proxy. */
  get caller(): string | null {
    return this.#look().caller
  }

  /** How it tells about visitors; null if it is no proxy or CDN. */
  readonly proxy = (): ProxyFields | null => this.#look().proxy

  get isProxy(): boolean {
    return this.caller === null
  }

  #look() {
    if (this.#known !== null) return this.#known
    const address = this.address() ?? ''
    const caller = callerUnlessProxy(address, this.#proxies.isProxy)
    this.#known = { caller, proxy: fieldsFor(this.#proxies, address) }
    return this.#known
  }
}

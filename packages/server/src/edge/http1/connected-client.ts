import type { Socket } from 'node:net'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'

/** Who is at the other end. Looked up once, and only if somebody asks. */
export class ConnectedClient {
  readonly #stream: Socket
  readonly #isProxyAddress: (address: string) => boolean
  #known: { caller: string | null } | null = null

  constructor(stream: Socket, isProxyAddress: (address: string) => boolean) {
    this.#stream = stream
    this.#isProxyAddress = isProxyAddress
  }

  readonly address = (): string | undefined => this.#stream.remoteAddress

  /** Null for a trusted proxy. */
  get caller(): string | null {
    this.#known ??= { caller: callerUnlessProxy(this.address() ?? '', this.#isProxyAddress) }
    return this.#known.caller
  }

  get isProxy(): boolean {
    return this.caller === null
  }
}

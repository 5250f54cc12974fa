import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { Http2Connection, type Visit } from '@masthead/testing/clients/visit.ts'
import type { ClusterNode } from './cluster.ts'

/** A visit that takes longer is given up, as people do. */
const patienceMs = 15_000

interface Connection extends Disposable {
  ask(host: string, path: string): Promise<Visit>
}

export type Protocol = 'http/1.1' | 'h2'

/** A browser, as far as connections go: it keeps one per host, and opens another when that is gone. */
export class Visitor implements Disposable {
  readonly #edge: ClusterNode
  readonly #protocol: Protocol
  readonly #root: string
  readonly #open = new Map<string, Connection>()

  constructor(edge: ClusterNode, protocol: Protocol, root: string) {
    this.#edge = edge
    this.#protocol = protocol
    this.#root = root
  }

  async visit(host: string, path: string): Promise<Visit> {
    const { promise: tooLong, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`no answer in ${patienceMs / 1000} s`)), patienceMs)
    try {
      return await Promise.race([this.#ask(host, path), tooLong])
    } catch (error) {
      this.#drop(host)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async #ask(host: string, path: string): Promise<Visit> {
    const kept = this.#open.get(host)
    if (kept !== undefined) {
      // A server may close a connection at any time; a request that it did not answer is sent again once.
      const answer = await kept.ask(host, path).catch(() => null)
      if (answer !== null) return answer
      this.#drop(host)
    }
    const opened = await this.#connect(host)
    this.#drop(host)
    this.#open.set(host, opened)
    return opened.ask(host, path)
  }

  async #connect(host: string): Promise<Connection> {
    const { httpPort, httpsPort } = this.#edge.process
    return this.#protocol === 'h2'
      ? await Http2Connection.to(httpsPort, host, this.#root)
      : await OpenConnection.to(httpPort)
  }

  #drop(host: string): void {
    this.#open.get(host)?.[Symbol.dispose]()
    this.#open.delete(host)
  }

  [Symbol.dispose](): void {
    for (const host of this.#open.keys()) this.#drop(host)
  }
}

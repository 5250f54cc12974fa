import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, createSecureContext } from 'node:tls'
import { EndedUnusedError, KeptConnection } from './kept-connection.ts'

export interface LoadTarget {
  httpPort: number
  httpsPort: number
  /** Of the site. */
  host: string
  path: string
  fields?: Record<string, string>
  /** Whether this is what an answer should look like. */
  isRight: (page: string) => boolean
  /** The root that the certificate of the site leads to. */
  root: string
}

export interface LoadReport {
  answered: number
  /** A browser would have asked again: a connection that was used before ended before any byte of the answer. */
  repeated: string[]
  /** What a person would have seen. */
  failures: string[]
}

interface Visitor {
  protocol: string
  /** Resolves to the page. */
  ask(): Promise<string>
  close(): void
}

const byProtocol = { plain: plainVisitor, tls: tlsVisitor, http2: http2Visitor }

export interface PacedLoadOptions {
  visitors: number
  perSecond: number
  /** An equal part of the visitors each. */
  protocols: readonly (keyof typeof byProtocol)[]
}

/** Visitors with connections that they keep, as browsers do. */
export class PacedLoad implements AsyncDisposable {
  readonly #report: LoadReport = { answered: 0, repeated: [], failures: [] }
  readonly #visitors: Promise<void>[]
  #isOver = false

  constructor(target: LoadTarget, { visitors, perSecond, protocols }: PacedLoadOptions) {
    const everyMs = (1000 * visitors) / perSecond
    this.#visitors = Array.from({ length: visitors }, (_, index) => {
      const protocol = protocols[index % protocols.length] ?? 'plain'
      return this.#visit(byProtocol[protocol](target), target, {
        everyMs,
        firstAfter: (everyMs * index) / visitors,
      })
    })
  }

  get answered(): number {
    return this.#report.answered
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async stop(): Promise<LoadReport> {
    this.#isOver = true
    await Promise.all(this.#visitors)
    return this.#report
  }

  async #visit(
    visitor: Visitor,
    { isRight }: LoadTarget,
    { everyMs, firstAfter }: { everyMs: number; firstAfter: number },
  ): Promise<void> {
    for (
      let due = performance.now() + firstAfter;
      !this.#isOver;
      due = Math.max(due + everyMs, performance.now())
    ) {
      await sleep(Math.max(due - performance.now(), 0))
      try {
        const shown = await this.#askOnceMore(visitor)
        if (!isRight(shown)) this.#report.failures.push(`wrong page: ${shown.slice(0, 200)}`)
        this.#report.answered++
      } catch (error) {
        this.#report.failures.push(String((error as Error).stack))
      }
    }
    visitor.close()
  }

  async #askOnceMore(visitor: Visitor): Promise<string> {
    try {
      return await visitor.ask()
    } catch (error) {
      if (!(error instanceof EndedUnusedError)) throw error
      this.#report.repeated.push(`${visitor.protocol}: ${error.cause}`)
      return visitor.ask()
    }
  }
}

function plainVisitor(target: LoadTarget): Visitor {
  const dial = () => connect({ host: '127.0.0.1', port: target.httpPort, noDelay: true })
  return overHttp1('plain', new KeptConnection(requestOf(target), 'connect', dial))
}

function tlsVisitor(target: LoadTarget): Visitor {
  const { httpsPort: port, host: servername, root } = target
  const secureContext = createSecureContext({ ca: root })
  const dial = () => connectTls({ host: '127.0.0.1', port, servername, secureContext })
  return overHttp1('tls', new KeptConnection(requestOf(target), 'secureConnect', dial))
}

function overHttp1(protocol: string, connection: KeptConnection): Visitor {
  return { protocol, ask: () => connection.ask(), close: () => connection.close() }
}

function requestOf({ host, path, fields }: LoadTarget): string {
  const lines = Object.entries({ Host: host, ...fields }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** The highest id in a GOAWAY that only says that there will be another (RFC 9113, 6.8). */
const maxStreamId = 2 ** 31 - 1

/** A connection that is about to end takes no new requests. */
function http2Visitor({ httpsPort, host, path, root }: LoadTarget): Visitor {
  let current: ClientHttp2Session | null = null
  /** Requests up to this id are answered. */
  const lastIds = new WeakMap<ClientHttp2Session, number>()

  async function connected(): Promise<ClientHttp2Session> {
    if (current !== null && !current.closed) return current
    const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { servername: host, ca: root })
    const leave = () => {
      if (current === session) current = null
    }
    session.on('goaway', (_code, lastId) => lastIds.set(session, lastId))
    session.on('goaway', leave).on('close', leave)
    await once(session, 'connect')
    session.on('error', leave)
    current = session
    return session
  }

  /** Node sends a request a moment after it was made. If a GOAWAY arrives in between, it does not send it. */
  function wasNotSent(session: ClientHttp2Session, error: unknown): boolean {
    return String(error).includes('REFUSED_STREAM') && lastIds.get(session) === maxStreamId
  }

  return {
    protocol: 'http2',
    async ask() {
      const isReused = current !== null && !current.closed
      const session = await connected()
      const stream = session.request({ ':authority': host, ':path': path })
      let status: number | undefined
      stream.on('response', (headers) => {
        status = headers[':status']
      })
      let page: string
      try {
        page = await text(stream)
      } catch (error) {
        if (status !== undefined || !isReused) throw error
        if (wasNotSent(session, error)) return this.ask()
        throw new EndedUnusedError('', { cause: error })
      }
      if (status === undefined) throw new EndedUnusedError('', { cause: 'HTTP/2 stream without an answer' })
      if (status !== 200) throw new Error(`${status} ${page}`)
      return page
    },
    close: () => current?.close(),
  }
}

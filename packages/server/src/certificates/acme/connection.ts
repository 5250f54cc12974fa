import { type Clock, second } from '../../kernel/clock.ts'
import { type Directory, directoryReader } from './directory.ts'
import { type AcmeResponse, createExchange, type Exchange, type Fetch } from './exchange.ts'
import { invalidResponse, isSuccess, readProblem } from './read-response.ts'
import { isAcmeUrl } from './response-fields.ts'
import { type Signer, signedRequest } from './signed-request.ts'

const mostNonces = 64
const noncePattern = /^[A-Za-z0-9_-]{1,512}$/

/** Every response carries a nonce for one more request. The newest is used first, because CAs expire old ones. */
export class NoncePool {
  readonly #nonces: string[] = []

  /** Ignores malformed nonces (RFC 8555, section 6.5.1). */
  add(value: string | null): void {
    if (!isNonce(value)) return
    this.#nonces.push(value)
    if (this.#nonces.length > mostNonces) this.#nonces.shift()
  }

  take(): string | undefined {
    return this.#nonces.pop()
  }
}

function isNonce(value: string | null): value is string {
  return value !== null && noncePattern.test(value)
}

export interface ConnectionOptions {
  directoryUrl: string
  fetch: Fetch
  now: Clock
  /** The time limit of each request. After it, a request is not tried with another nonce either. */
  timeoutMs?: number
}

const longestWait = 30 * second
/** If a CA rejects half of all valid nonces, one request in a million still fails. */
const mostTries = 20

/** All communication with one CA. Requests may run concurrently. */
export class AcmeConnection {
  readonly now: Clock
  readonly directory: () => Promise<Directory>
  readonly #timeoutMs: number
  readonly #exchange: Exchange
  readonly #nonces = new NoncePool()

  constructor({ directoryUrl, fetch, now, timeoutMs = longestWait }: ConnectionOptions) {
    this.now = now
    this.#timeoutMs = timeoutMs
    this.#exchange = createExchange({ fetch, now, timeoutMs })
    this.directory = directoryReader(this.#exchange, directoryUrl, now)
  }

  async get(url: string): Promise<AcmeResponse> {
    return this.#exchange({ method: 'GET', url })
  }

  /** Sends a signed request, with a new nonce if the CA rejects one. Throws unless it succeeds. */
  async post(signer: Signer, url: string, payload?: unknown, accept?: string): Promise<AcmeResponse> {
    const startedAt = performance.now()
    let nonce = this.#nonces.take() ?? (await this.#newNonce())
    for (let tries = 1; ; tries++) {
      const body = await signedRequest(signer, { url, nonce, payload })
      const response = await this.#exchange({ method: 'POST', url, body, ...(accept && { accept }) })
      const next = response.headers.get('replay-nonce')
      const problem = isSuccess(response) ? null : readProblem(response)
      const mayTryAgain = tries < mostTries && performance.now() - startedAt < this.#timeoutMs
      if (problem?.kind === 'bad_nonce' && mayTryAgain) {
        nonce = isNonce(next) ? next : await this.#newNonce()
        continue
      }
      this.#nonces.add(next)
      if (problem !== null) throw problem
      return response
    }
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory()
    const response = await this.#exchange({ method: 'HEAD', url: newNonce })
    if (!isSuccess(response)) throw readProblem(response)
    const nonce = response.headers.get('replay-nonce')
    if (!isNonce(nonce)) throw invalidResponse(response, 'it carries no nonce')
    return nonce
  }
}

/** The URL of the created or found resource. */
export function locationOf(response: AcmeResponse): string {
  const header = response.headers.get('location')
  const location = header ? URL.parse(header, response.url)?.href : undefined
  if (location !== undefined && isAcmeUrl(location)) return location
  throw invalidResponse(response, 'it has no usable Location header')
}

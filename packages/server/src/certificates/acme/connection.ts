import type { Clock } from '../../kernel/clock.ts'
import { type Directory, directoryReader } from './directory.ts'
import { type AcmeResponse, createExchange, type Exchange, type Fetch } from './exchange.ts'
import { invalidResponse, isSuccess, readProblem } from './read-response.ts'
import { isAcmeUrl } from './response-fields.ts'
import { type Signer, signedRequest } from './signed-request.ts'

const mostNonces = 64
const noncePattern = /^[A-Za-z0-9_-]{1,512}$/

/** Every answer of a CA brings a nonce for one more request. The newest goes first: CAs forget the old ones. */
export class NoncePool {
  readonly #nonces: string[] = []

  /** What cannot be a nonce is ignored (RFC 8555, section 6.5.1). */
  keep(value: string | null): void {
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
  /** How long any one answer may take. */
  timeoutMs?: number
}

/** Against a CA that refuses half of all good nonces, one request in a million fails. */
const mostTries = 20

/** Everything that is said to one CA. Any number of requests may be under way at once. */
export class AcmeConnection {
  readonly now: Clock
  readonly directory: () => Promise<Directory>
  readonly #exchange: Exchange
  readonly #nonces = new NoncePool()

  constructor({ directoryUrl, fetch, now, timeoutMs }: ConnectionOptions) {
    this.now = now
    this.#exchange = createExchange({ fetch, now, timeoutMs })
    this.directory = directoryReader(this.#exchange, directoryUrl, now)
  }

  async get(url: string): Promise<AcmeResponse> {
    return this.#exchange({ method: 'GET', url })
  }

  /** Signed by the signer; a refused nonce is replaced at once. Only successes are answers, the rest is thrown. */
  async post(signer: Signer, url: string, payload?: unknown, accept?: string): Promise<AcmeResponse> {
    let nonce = this.#nonces.take() ?? (await this.#newNonce())
    for (let tries = 1; ; tries++) {
      const body = await signedRequest(signer, { url, nonce, payload })
      const answer = await this.#exchange({ method: 'POST', url, body, ...(accept && { accept }) })
      const next = answer.headers.get('replay-nonce')
      const problem = isSuccess(answer) ? null : readProblem(answer)
      if (problem?.kind === 'bad_nonce' && tries < mostTries) {
        nonce = isNonce(next) ? next : await this.#newNonce()
        continue
      }
      this.#nonces.keep(next)
      if (problem !== null) throw problem
      return answer
    }
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory()
    const answer = await this.#exchange({ method: 'HEAD', url: newNonce })
    if (!isSuccess(answer)) throw readProblem(answer)
    const nonce = answer.headers.get('replay-nonce')
    if (!isNonce(nonce)) throw invalidResponse(answer, 'it brings no nonce')
    return nonce
  }
}

/** The URL of what was made or found. */
export function locationOf(answer: AcmeResponse): string {
  const header = answer.headers.get('location')
  const location = header ? URL.parse(header, answer.url)?.href : undefined
  if (location !== undefined && isAcmeUrl(location)) return location
  throw invalidResponse(answer, 'it does not say where to find what it tells of')
}

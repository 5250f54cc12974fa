import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose'
import { keepNewest } from '../../kernel/cache/keep-newest.ts'
import { type Clock, minute, second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import type { Outgoing } from '../../outgoing/connect.ts'
import { TargetError } from '../../outgoing/target.ts'
import { fetchJson } from './fetch-json.ts'

/** The keys of an issuer cannot be found out; the message is for users. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError'
}

interface KnownIssuer {
  keys: JWTVerifyGetKey | null
  fetchedAt: number
  /** The last attempt, successful or not, and why it failed. */
  triedAt: number
  failure: string | null
}

const freshFor = 10 * minute
/** While the issuer cannot be asked. */
const usableFor = 60 * minute
/** Between two attempts, however many tokens name unknown keys. */
const pause = 20 * second
const maxIssuers = 100
const maxKeys = 50
const maxBytes = 128 * 1024
const defaultTimeout = 8 * second

/**
 * Finds the keys of issuers by OpenID Connect discovery and remembers them. Only issuers that an account trusts are
 * asked, but they may be anybody's: each costs a bounded time and memory, and no account can occupy all connections.
 */
export class IssuerKeys {
  readonly #outgoing: Omit<Outgoing, 'stopping'>
  readonly #now: Clock
  readonly #timeout: number
  readonly #known = new Map<string, KnownIssuer>()
  readonly #slots = new FairSemaphore(16, 2)
  readonly #refresh = singleFlight((issuer: string, caller: string) => this.#ask(issuer, caller))

  constructor(outgoing: Omit<Outgoing, 'stopping'>, now: Clock, timeout = defaultTimeout) {
    this.#outgoing = outgoing
    this.#now = now
    this.#timeout = timeout
  }

  /** `caller` is the account that trusts the issuer. */
  async get(issuer: string, caller: string): Promise<JWTVerifyGetKey> {
    const known = this.#known.get(issuer)
    if (known !== undefined && this.#now() - known.fetchedAt < freshFor && known.keys !== null) {
      this.#touch(issuer, known)
      return known.keys
    }
    return this.#usable(this.#mayAsk(known) ? await this.#refresh(issuer, caller) : known)
  }

  /** After a token named a key that is not among them. Null if there is nothing newer. */
  async renewed(issuer: string, caller: string): Promise<JWTVerifyGetKey | null> {
    const known = this.#known.get(issuer)
    if (!this.#mayAsk(known)) return null
    const { keys, failure } = await this.#refresh(issuer, caller)
    return failure === null ? keys : null
  }

  #mayAsk(known: KnownIssuer | undefined): boolean {
    return known === undefined || this.#now() - known.triedAt >= pause
  }

  #usable(known: KnownIssuer | undefined): JWTVerifyGetKey {
    if (known?.keys && this.#now() - known.fetchedAt < usableFor) return known.keys
    throw new IssuerError(known?.failure ?? 'The issuer cannot be asked')
  }

  async #ask(issuer: string, caller: string): Promise<KnownIssuer> {
    if (!this.#slots.tryAcquire(caller))
      throw new IssuerError('Too many issuers are being asked at the moment')
    const before = this.#known.get(issuer)
    try {
      const keys = await fetchKeys(this.#outgoing, issuer, AbortSignal.timeout(this.#timeout))
      return this.#touch(issuer, { keys, fetchedAt: this.#now(), triedAt: this.#now(), failure: null })
    } catch (error) {
      if (!(error instanceof TargetError)) throw error
      const { keys = null, fetchedAt = 0 } = before ?? {}
      return this.#touch(issuer, { keys, fetchedAt, triedAt: this.#now(), failure: error.message })
    } finally {
      this.#slots.release(caller)
    }
  }

  /** The least recently used issuer goes first. */
  #touch(issuer: string, known: KnownIssuer): KnownIssuer {
    keepNewest(this.#known, issuer, known, maxIssuers)
    return known
  }
}

/** OpenID Connect Discovery 1.0, section 4. */
async function fetchKeys(
  outgoing: Omit<Outgoing, 'stopping'>,
  issuer: string,
  signal: AbortSignal,
): Promise<JWTVerifyGetKey> {
  const options = { maxBytes, signal }
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = await fetchJson(outgoing, address, options)
  if (!isObject(found) || found.issuer !== issuer) {
    throw new TargetError('The discovery document names another issuer')
  }
  if (typeof found.jwks_uri !== 'string') throw new TargetError('The discovery document has no jwks_uri')
  const jwks = await fetchJson(outgoing, found.jwks_uri, options)
  if (!isObject(jwks) || !Array.isArray(jwks.keys))
    throw new TargetError('The issuer did not answer with keys')
  if (jwks.keys.length > maxKeys) throw new TargetError(`The issuer has more than ${maxKeys} keys`)
  return createLocalJWKSet({ keys: jwks.keys.filter(isUsableKey) })
}

/** Public keys only, of sizes that take no time to verify with. */
function isUsableKey(key: unknown): key is JWK {
  if (!isObject(key) || 'd' in key || 'k' in key) return false
  if (key.kty === 'RSA') return isText(key.n, 1_400) && isText(key.e, 11)
  return key.kty === 'EC' || key.kty === 'OKP'
}

function isText(value: unknown, maxLength: number): boolean {
  return typeof value === 'string' && value.length <= maxLength
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

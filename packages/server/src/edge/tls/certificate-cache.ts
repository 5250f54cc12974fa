import { createSecureContext, type SecureContext } from 'node:tls'
import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import type { Logger } from 'pino'
import { isWildcard } from '../../dns/domain-name.ts'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { isIP } from '../../kernel/ip-address.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { MissLimiter, type MissLimits } from '../accept/miss-limiter.ts'
import { LoadedCache } from '../cache/loaded-cache.ts'
import { classifyServerName, type HostRoute, type PlatformNames } from '../sites/host.ts'
import { invalidationOf, type SiteChange } from '../sites/site-change.ts'
import { LoadBackoff } from './load-backoff.ts'
import { PendingCertificates } from './pending-certificates.ts'
import type { HandshakeRefusal } from './settings.ts'

export interface ServedCertificate {
  /** PEM, leaf certificate first. */
  readonly chain: string
  readonly keyPem: string
  readonly notAfter: number
}

export interface CertificateSource {
  /**
   * The certificate of a custom domain, or of a wildcard such as `*.acme.com`. `uncovered`: it has none, and the wildcard
   * over it is not for it, because the name is another account's.
   */
  ofDomain(name: string): Promise<ServedCertificate | 'uncovered' | null>
  /** The certificate of a platform name. Names that share one get the same value, which is then cached once. */
  ofPlatform(name: string): Promise<ServedCertificate | null>
  /** Whether the first certificate of a name of either kind is being issued. */
  isPending(name: string): Promise<boolean>
  /** The certificate that answers a tls-alpn-01 challenge. */
  validation(name: string): Promise<{ certificatePem: string; privateKeyPem: string } | null>
}

export interface CertificateCacheOptions extends PlatformNames {
  source: CertificateSource
  log: Pick<Logger, 'error'>
  now?: () => number
  /** A context takes about 63 KiB of memory. */
  maxContexts?: number
  maxUnknown?: number
  /** Names that are looked up concurrently. */
  maxLoading?: number
  unknownNames?: MissLimits
  /** How long a handshake waits for a certificate that is being issued. */
  pendingTimeoutMs?: number
}

interface CertificateTarget {
  readonly name: string
  /** The address of the first client to ask, whose share of look-ups it uses. Null for none. */
  readonly from: string | null
}

interface Loaded {
  /** Null if it has no certificate and none of a wildcard may be used. */
  readonly context: SecureContext | null
  readonly notAfter: number
  readonly loadedAt: number
}

/** How often we look for a successor of an expired certificate. */
const recheckExpiredAfter = 60_000

const maxNameLength = 253
const namePattern = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

/** A server name has no port, no address and no trailing dot. */
function isValidServername(name: string): boolean {
  return name.length <= maxNameLength && namePattern.test(name) && isIP(name) === 0
}

/** Certificates by name, ready for handshakes, and names known to have none. */
export class CertificateCache extends LoadedCache<CertificateTarget, Loaded> {
  readonly #options: CertificateCacheOptions
  readonly #now: () => number
  readonly #misses: MissLimiter
  readonly #pending: PendingCertificates<Loaded>
  readonly #contexts = new WeakMap<ServedCertificate, SecureContext>()
  readonly #loading: FairQueue
  readonly #backoff: LoadBackoff

  constructor(options: CertificateCacheOptions) {
    const { source, log, now = Date.now, maxContexts = 5000, maxUnknown = 10_000 } = options
    super({
      load: (target) => this.#limited(target, () => this.#loadOrBackOff(target.name, source)),
      onStale: ({ name }, error) =>
        log.error({ err: error, name }, 'could not reload a certificate, so it is used as it was'),
      now,
      keyOf: ({ name }) => name,
      namesOf: ({ name }) => namesBehind(name, options),
      weightOf: () => 1,
      maxWeight: maxContexts,
      maxAbsent: maxUnknown,
    })
    this.#options = options
    this.#now = now
    this.#loading = new FairQueue({ size: options.maxLoading ?? 256 })
    this.#misses = new MissLimiter(options.unknownNames, now)
    this.#backoff = new LoadBackoff(now)
    this.#pending = new PendingCertificates({
      isPending: (name) => this.#limited({ name, from: null }, () => this.#isPending(name)),
      load: async (name) => {
        const loaded = await this.load({ name, from: null })
        return loaded?.context === null ? null : loaded
      },
      timeoutMs: options.pendingTimeoutMs,
    })
  }

  /** The certificate for a handshake. Without a promise if it is in memory. */
  find(
    servername: string,
    from: string,
  ): SecureContext | HandshakeRefusal | Promise<SecureContext | HandshakeRefusal> {
    const name = servername.toLowerCase()
    if (!isValidServername(name)) return 'unknown'
    const names = this.#namesCovering(name)
    for (const one of names) {
      const found = this.#lookUp({ name: one, from })
      if (found instanceof Promise) return this.#loadFirst(names, from)
      if (found === 'uncovered')
        return this.#pending.currentWait(name) ? this.#loadFirst(names, from) : 'unknown'
      if (found !== null) return found
    }
    const waiting = names.find((one) => this.#pending.currentWait(one) !== null)
    return waiting === undefined ? 'unknown' : this.#loadFirst(names, from)
  }

  /** The name itself, then the wildcard over it, which has one entry however many names below it are visited. */
  #namesCovering(name: string): string[] {
    const wildcard = classifyServerName(name, this.#options).kind === 'domain' ? wildcardOver(name) : null
    return wildcard === null ? [name] : [name, wildcard]
  }

  /** From memory, a promise if it has to be loaded, null if the name is known to have none. */
  #lookUp(target: CertificateTarget): Found | null | Promise<Found | null> {
    const known = this.get(target)
    if (known === null) return null
    if (known !== undefined) {
      // If it is not fresh, a reload has already failed: use the expired one until the next attempt.
      if (!this.#hasExpired(known) || !this.isFresh(target)) return known.context ?? 'uncovered'
      this.expire(target)
    } else if (this.#backoff.isBackingOff(target.name))
      return this.lastKnown(target)?.context ?? 'unavailable'
    return orUnavailable(this.load(target))
  }

  /** The first certificate there is; else the first that is on its way. */
  async #loadFirst(names: readonly string[], from: string): Promise<SecureContext | HandshakeRefusal> {
    const isNew = new Set<string>()
    const candidates: string[] = []
    for (const name of names) {
      candidates.push(name)
      const found = this.#lookUp({ name, from })
      if (found instanceof Promise) isNew.add(name)
      const loaded = await found
      if (loaded === 'uncovered') break
      if (loaded !== null) return loaded
    }
    // Only the caller that started a fruitless wait gets a miss: those who share it cost nothing.
    let hasStarted = false
    for (const name of candidates) {
      const wait = this.#pending.currentWait(name)
      if (wait === null && !isNew.has(name)) continue
      hasStarted ||= wait === null
      const found = await orUnavailable(wait ?? this.#pending.wait(name))
      if (found !== null && found !== 'uncovered') return found
    }
    if (hasStarted) this.#misses.add(from)
    return 'unknown'
  }

  /** Answers a CA's tls-alpn-01 validation. Never cached. */
  async findValidation(servername: string, from: string): Promise<SecureContext | HandshakeRefusal> {
    const name = servername.toLowerCase()
    if (!isValidServername(name)) return 'unknown'
    try {
      const found = await this.#limited({ name, from }, () => this.#options.source.validation(name))
      if (found === null) {
        this.#misses.add(from)
        return 'unknown'
      }
      return createSecureContext({ cert: found.certificatePem, key: found.privateKeyPem })
    } catch {
      return 'unavailable'
    }
  }

  changed(change: SiteChange): void {
    const invalidation = invalidationOf(change, ['slug', 'hostname'])
    if (invalidation === null) return
    const { names, forget } = invalidation
    // After lost notices certificates stay usable if they cannot be reloaded: a stopped site is not served anyway.
    this.invalidate({ ...invalidation, forget: forget && names !== null })
    this.#backoff.forget(names)
    const isForAll = names?.includes(`*.${this.#options.platformDomain}`)
    this.#pending.notify(isForAll ? null : names)
  }

  async #isPending(name: string): Promise<boolean> {
    return mayHaveCertificate(this.#kindOf(name)) && this.#options.source.isPending(name)
  }

  /** No client can send the name of a wildcard, so it comes from `#namesCovering`. */
  #kindOf(name: string): HostRoute['kind'] {
    return isWildcard(name) ? 'domain' : classifyServerName(name, this.#options).kind
  }

  #hasExpired({ notAfter, loadedAt }: Loaded): boolean {
    const now = this.#now()
    return now >= notAfter && now - loadedAt >= recheckExpiredAfter
  }

  async #limited<T>({ name, from }: CertificateTarget, load: () => Promise<T>): Promise<T> {
    if (from !== null && this.#misses.isOverLimit(from)) throw new TooManyNamesError()
    try {
      return await this.#loading.run(from === null ? null : callerOf(from), load)
    } catch (error) {
      this.#options.log.error({ err: error, name }, 'could not load a certificate')
      throw error
    }
  }

  async #loadOrBackOff(name: string, source: CertificateSource): Promise<Loaded | null> {
    try {
      const loaded = await this.#load(name, source)
      this.#backoff.forget([name])
      return loaded
    } catch (error) {
      this.#backoff.add(name)
      throw error
    }
  }

  async #load(name: string, source: CertificateSource): Promise<Loaded | null> {
    const kind = this.#kindOf(name)
    if (!mayHaveCertificate(kind)) return null
    const found = await (kind === 'domain' ? source.ofDomain(name) : source.ofPlatform(name))
    if (found === null) return null
    if (found === 'uncovered')
      return { context: null, notAfter: Number.POSITIVE_INFINITY, loadedAt: this.#now() }
    return { context: this.#contextOf(found), notAfter: found.notAfter, loadedAt: this.#now() }
  }

  #contextOf(certificate: ServedCertificate): SecureContext {
    const known = this.#contexts.get(certificate)
    if (known !== undefined) return known
    const context = createSecureContext({ cert: certificate.chain, key: certificate.keyPem })
    this.#contexts.set(certificate, context)
    return context
  }
}

class TooManyNamesError extends Error {
  override readonly name = 'TooManyNamesError'

  constructor() {
    super('Too many look-ups of unknown names')
  }
}

type Found = SecureContext | 'uncovered' | 'unavailable'

function orUnavailable(loading: Promise<Loaded | null>): Promise<Found | null> {
  return loading.then(
    (loaded) => (loaded === null ? null : (loaded.context ?? 'uncovered')),
    () => 'unavailable',
  )
}

function mayHaveCertificate(kind: HostRoute['kind']): boolean {
  return kind !== 'unknown' && kind !== 'invalid'
}

/** A name under the platform domain is served only while its project exists, and perhaps by the platform's wildcard. */
function namesBehind(name: string, names: PlatformNames): string[] {
  const host = classifyServerName(name, names)
  const slugs = host.kind === 'project' || host.kind === 'preview' ? [host.slug] : []
  const wildcard = `*.${names.platformDomain}`
  return wildcardOver(name) === wildcard ? [...slugs, wildcard] : slugs
}

import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { MissLimiter, type MissLimits } from '../accept/miss-limiter.ts'
import { LoadedCache } from '../cache/loaded-cache.ts'
import { classifyServerName, type HostRoute, type PlatformNames } from '../sites/host.ts'
import { isAboutEverything, type SiteChange } from '../sites/site-change.ts'
import { LoadBackoff } from './load-backoff.ts'
import { PendingCertificates } from './pending-certificates.ts'
import type { HandshakeRefusal } from './settings.ts'

export interface ServedCertificate {
  /** PEM, the certificate of the name first. */
  readonly chain: string
  readonly keyPem: string
  readonly notAfter: number
}

export interface CertificateSource {
  /** Of a custom domain. */
  ofDomain(name: string): Promise<ServedCertificate | null>
  /** Of a name of the platform itself. Names that share a certificate are given the same value, which is kept once. */
  ofPlatform(name: string): Promise<ServedCertificate | null>
  /** Whether the first certificate of a name of either kind is being got at this moment. */
  isOnItsWay(name: string): Promise<boolean>
  /** What answers a tls-alpn-01 challenge for a name. */
  validation(name: string): Promise<{ certificatePem: string; privateKeyPem: string } | null>
}

export interface CertificateCacheOptions extends PlatformNames {
  source: CertificateSource
  log: Pick<Logger, 'error'>
  now?: () => number
  /** A context takes about 63 KiB. */
  maxContexts?: number
  maxUnknown?: number
  /** Names that are looked up at one time. */
  maxLoading?: number
  unknownNames?: MissLimits
  /** How long a handshake waits for a certificate that is on its way. */
  patience?: number
}

interface Asked {
  readonly name: string
  /** The address of who asks first, whose turn it takes. Null: nobody in particular. */
  readonly from: string | null
}

interface Loaded {
  readonly context: SecureContext
  readonly notAfter: number
  readonly loadedAt: number
}

const longestName = 253

/** How often something newer than an expired certificate is looked for. */
const recheckExpiredAfter = 60_000

/** The names a client can ask for in a handshake: no port, no address, no trailing dot. */
const name = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

function isAskable(servername: string): boolean {
  return servername.length <= longestName && name.test(servername) && isIP(servername) === 0
}

/** Certificates by name, ready for a handshake, as many as are in use; and names that have none. */
export class CertificateCache extends LoadedCache<Asked, Loaded> {
  readonly #options: CertificateCacheOptions
  readonly #now: () => number
  readonly #inVain: MissLimiter
  readonly #awaited: PendingCertificates<Loaded>
  readonly #shared = new WeakMap<ServedCertificate, SecureContext>()
  readonly #loading: FairQueue
  readonly #failed: LoadBackoff

  constructor(options: CertificateCacheOptions) {
    const { source, log, now = Date.now, maxContexts = 5000, maxUnknown = 10_000 } = options
    super({
      load: (asked) => this.#limited(asked, () => this.#loadUnlessFailing(asked.name, source)),
      onOutdated: ({ name }, error) => log.error({ err: error, name }, 'a certificate is used as it was'),
      now,
      keyOf: ({ name }) => name,
      namesOf: ({ name }) => slugsIn(name, options),
      weightOf: () => 1,
      maxWeight: maxContexts,
      maxAbsent: maxUnknown,
    })
    this.#options = options
    this.#now = now
    this.#loading = new FairQueue({ places: options.maxLoading ?? 256 })
    this.#inVain = new MissLimiter(options.unknownNames, now)
    this.#failed = new LoadBackoff(now)
    this.#awaited = new PendingCertificates({
      isOnItsWay: (name) => this.#limited({ name, from: null }, () => this.#isOnItsWay(name)),
      load: (name) => this.load({ name, from: null }),
      patience: options.patience,
    })
  }

  /** What the handshake for a name shows. Without a promise where it is in memory. */
  find(
    servername: string,
    from: string,
  ): SecureContext | HandshakeRefusal | Promise<SecureContext | HandshakeRefusal> {
    const name = servername.toLowerCase()
    if (!isAskable(name)) return 'unknown'
    const asked = { name, from }
    const known = this.get(asked)
    if (known === null) {
      const underWay = this.#awaited.underWay(name)
      return underWay === null ? 'unknown' : contextOrRefusal(underWay)
    }
    if (known !== undefined) {
      // Looked for again already, in vain: until the next look it is shown as it is.
      if (!this.#isOver(known) || !this.isFresh(asked)) return known.context
      this.expire(asked)
    } else if (this.#failed.isTooSoon(name)) return 'unavailable'
    return contextOrRefusal(this.load(asked).then((loaded) => loaded ?? this.#waitFor(name, from)))
  }

  /** Who began to wait for what did not come has asked in vain; who came later shares the wait, and costs nothing. */
  async #waitFor(name: string, from: string): Promise<Loaded | null> {
    const underWay = this.#awaited.underWay(name)
    if (underWay !== null) return underWay
    const found = await this.#awaited.wait(name)
    if (found === null) this.#inVain.add(from)
    return found
  }

  /** Of the moment a CA asks, and never kept. */
  async findValidation(servername: string, from: string): Promise<SecureContext | HandshakeRefusal> {
    const name = servername.toLowerCase()
    if (!isAskable(name)) return 'unknown'
    try {
      const found = await this.#limited({ name, from }, () => this.#options.source.validation(name))
      if (found === null) {
        this.#inVain.add(from)
        return 'unknown'
      }
      return createSecureContext({ cert: found.certificatePem, key: found.privateKeyPem })
    } catch {
      return 'unavailable'
    }
  }

  changed(change: SiteChange): void {
    const { slug, hostname, stopped = false } = change
    // A slug has no dot, a hostname has one.
    const names = [slug, hostname].filter((name) => name !== undefined)
    // Where notices were lost, what is known serves on while it cannot be loaded anew: what is stopped is not shown.
    if (isAboutEverything(change)) this.outdate({ names: null, mayCreate: true, forget: false })
    else if (names.length > 0) this.outdate({ names, mayCreate: false, forget: stopped })
    const about = isAboutEverything(change) ? null : names
    this.#failed.forget(about)
    this.#awaited.tell(about)
  }

  async #isOnItsWay(name: string): Promise<boolean> {
    return (
      mayHaveCertificate(classifyServerName(name, this.#options)) && this.#options.source.isOnItsWay(name)
    )
  }

  #isOver({ notAfter, loadedAt }: Loaded): boolean {
    const now = this.#now()
    return now >= notAfter && now - loadedAt >= recheckExpiredAfter
  }

  async #limited<T>({ name, from }: Asked, load: () => Promise<T>): Promise<T> {
    if (from !== null && this.#inVain.isTooMuchFrom(from)) throw new TooManyNamesError()
    try {
      return await this.#loading.take(from === null ? null : callerOf(from), load)
    } catch (error) {
      this.#options.log.error({ err: error, name }, 'a certificate could not be loaded')
      throw error
    }
  }

  async #loadUnlessFailing(name: string, source: CertificateSource): Promise<Loaded | null> {
    try {
      const loaded = await this.#load(name, source)
      this.#failed.forget([name])
      return loaded
    } catch (error) {
      this.#failed.add(name)
      throw error
    }
  }

  async #load(name: string, source: CertificateSource): Promise<Loaded | null> {
    const host = classifyServerName(name, this.#options)
    if (!mayHaveCertificate(host)) return null
    const found = await (host.kind === 'domain' ? source.ofDomain(name) : source.ofPlatform(name))
    if (found === null) return null
    return { context: this.#contextOf(found), notAfter: found.notAfter, loadedAt: this.#now() }
  }

  #contextOf(certificate: ServedCertificate): SecureContext {
    const known = this.#shared.get(certificate)
    if (known !== undefined) return known
    const context = createSecureContext({ cert: certificate.chain, key: certificate.keyPem })
    this.#shared.set(certificate, context)
    return context
  }
}

class TooManyNamesError extends Error {
  override readonly name = 'TooManyNamesError'

  constructor() {
    super('Too many names are looked up at once')
  }
}

function contextOrRefusal(loading: Promise<Loaded | null>): Promise<SecureContext | HandshakeRefusal> {
  return loading.then(
    (loaded) => loaded?.context ?? 'unknown',
    () => 'unavailable',
  )
}

/** Whether there can be a certificate. */
function mayHaveCertificate({ kind }: HostRoute): boolean {
  return kind !== 'unknown' && kind !== 'invalid'
}

/** A name under the platform domain comes and goes with its project. */
function slugsIn(name: string, names: PlatformNames): string[] {
  const host = classifyServerName(name, names)
  return host.kind === 'project' || host.kind === 'preview' ? [host.slug] : []
}

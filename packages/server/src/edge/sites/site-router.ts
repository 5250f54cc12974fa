import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import type { RulesServer } from '@masthead/contract/site-rules/index-rules.ts'
import type { SiteRules } from '@masthead/contract/site-rules/rules.ts'
import { hasRules, isWithheld, type Manifest } from '../../deployments/manifest.ts'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import { callerOf } from '../../limits/caller-address.ts'
import type { DomainRoute, HostRedirect, SiteRecord, SiteTarget } from '../../projects/site.ts'
import { Site } from '../assets/site.ts'
import { AnswerMemory } from '../cache/answer-memory.ts'
import { labelOf, type PublicHost } from './host.ts'
import { DomainRouteCache, SiteCache } from './site-cache.ts'
import type { SiteChange } from './site-change.ts'

export interface SiteSource extends RulesServer {
  platformDomain: string
  find(target: SiteTarget): Promise<SiteRecord | null>
  /** Called only for records that have a deployment. */
  manifest(record: SiteRecord & { deploymentId: string }): Promise<Manifest>
  /** Called only for deployments with files that rules are made of. Null if there are none. */
  rules(record: SiteRecord & { deploymentId: string }): Promise<SiteRules | null>
  /** Where a custom domain leads; null if it is unknown or not served. */
  route(hostname: string): Promise<DomainRoute | null>
}

/** What a host leads to: a site, or a redirect to another host. */
export type SiteOrRedirect = Site | HostRedirect

export interface SiteRouterOptions {
  /** Called when a site or route could not be reloaded and the outdated one is used. */
  onStale(host: string, error: unknown): void
  /** What cached sites may take in memory. */
  maxSiteBytes?: number | undefined
}

const maxTries = 3

const defaultSiteBytes = 200 * 1024 ** 2
/** Of what sites may take in memory. The rest is for the sites themselves. */
const shareOfAnswers = 1 / 4

/** Below the ten connections to a database, so that a caller alone, who gets seven, leaves some to others. */
const lookUpsAtOnce = 32
/** As long as a look-up may take once it has started. */
const longestWait = 3_000

/** Finds the site or redirect of a host, from memory if it is cached. */
export class SiteRouter {
  readonly #sites: SiteCache
  readonly #routes: DomainRouteCache
  /** Anyone can ask for any number of hosts, and each look-up is a query or more. */
  readonly #lookUps = new FairQueue({ size: lookUpsAtOnce })
  /** Visits of one host by one caller. A look-up that began before a change is not shared after it. */
  #sharedLookUp = this.#newFlight()

  constructor(source: SiteSource, { onStale, maxSiteBytes = defaultSiteBytes }: SiteRouterOptions) {
    const answers = new AnswerMemory(maxSiteBytes * shareOfAnswers)
    this.#sites = new SiteCache({
      maxBytes: maxSiteBytes * (1 - shareOfAnswers),
      load: (target) => loadSite(source, target, answers),
      onStale: (target, error) => onStale(labelOf(target), error),
    })
    this.#routes = new DomainRouteCache({ load: (hostname) => source.route(hostname), onStale })
  }

  /** Without waiting. Null if there is nothing at the host, undefined if it has to be loaded. */
  get(host: PublicHost): SiteOrRedirect | null | undefined {
    if (host.kind !== 'domain') return projectRedirectOr(host, this.#sites.get(host))
    const route = this.#routes.get(host.hostname)
    return route?.kind === 'site' ? this.#sites.get(siteOf(route)) : route
  }

  /** Hosts that are not cached yet are looked up for callers in turn. Those that are known can be served without. */
  load(host: PublicHost, from: string): Promise<SiteOrRedirect | null> {
    if (this.#isKnown(host)) return this.#load(host)
    const caller = callerOf(from)
    return this.#sharedLookUp(`${caller} ${keyOf(host)}`, caller, host)
  }

  #newFlight() {
    return singleFlight((_key: string, caller: string, host: PublicHost) => {
      const find = async () => {
        const found = this.get(host)
        return found === undefined ? this.#load(host) : found
      }
      return this.#lookUps.run(caller, find, { timeoutMs: longestWait })
    })
  }

  /** Whether there is something to serve, outdated or not. */
  #isKnown(host: PublicHost): boolean {
    const isCached = (target: SiteTarget) => this.#sites.lastKnown(target) !== undefined
    if (host.kind !== 'domain') return isCached(host)
    const route = this.#routes.lastKnown(host.hostname)
    return route !== undefined && (route.kind !== 'site' || isCached(siteOf(route)))
  }

  #load(host: PublicHost): Promise<SiteOrRedirect | null> {
    return host.kind === 'domain'
      ? this.#loadDomain(host.hostname, maxTries)
      : this.#sites.load(host).then((site) => projectRedirectOr(host, site) ?? null)
  }

  /** Whether it can be reached over HTTPS, without waiting. True if nothing is known. */
  hasCertificate(host: PublicHost): boolean {
    return host.kind !== 'domain' || this.#routes.get(host.hostname)?.secured !== false
  }

  /** Whether its DNS leads here, without waiting. True if nothing is known. */
  pointsHere(host: PublicHost): boolean {
    return host.kind !== 'domain' || this.#routes.get(host.hostname)?.pointsHere !== false
  }

  /** The CDN that it is marked as being behind, without waiting. Null if nothing is known. */
  proxyOf(host: PublicHost): ProxyProvider | null {
    return (host.kind === 'domain' && this.#routes.get(host.hostname)?.proxy) || null
  }

  changed(change: SiteChange): void {
    this.#sharedLookUp = this.#newFlight()
    this.#routes.changed(change)
    this.#sites.changed(change)
  }

  async #loadDomain(hostname: string, tries: number): Promise<SiteOrRedirect | null> {
    const known = this.#routes.get(hostname)
    const route = known === undefined ? await this.#routes.load(hostname) : known
    if (route?.kind !== 'site') return route
    const target = siteOf(route)
    const site = this.#sites.get(target)
    if (site !== undefined) return site
    const loaded = await this.#sites.load(target)
    // The domain may have left the project while its site was loading.
    if (this.#routes.holds(hostname, route)) return loaded
    if (tries > 1) return this.#loadDomain(hostname, tries - 1)
    throw new Error(`${hostname} changes faster than its site can be loaded`)
  }
}

function keyOf(host: PublicHost): string {
  return host.kind === 'domain' ? host.hostname : labelOf(host)
}

/** What a custom domain shows. */
export function siteOf({ slug, branch }: { slug: string; branch?: string }): SiteTarget {
  return branch === undefined ? { kind: 'project', slug } : { kind: 'branch', slug, branch }
}

/** A project redirects its default subdomain, never its previews. */
function projectRedirectOr(
  host: PublicHost,
  site: Site | null | undefined,
): SiteOrRedirect | null | undefined {
  return host.kind === 'project' ? (site?.record.redirect ?? site) : site
}

export async function loadSite(
  source: SiteSource,
  target: SiteTarget,
  answers?: AnswerMemory,
): Promise<Site | null> {
  const record = await source.find(target)
  if (record === null) return null
  const { deploymentId } = record
  const isPreview = target.kind !== 'project'
  if (deploymentId === null || record.blocked) return new Site(record, new Map(), isPreview)
  const manifest = await source.manifest({ ...record, deploymentId })
  const rules = hasRules(manifest) ? await source.rules({ ...record, deploymentId }) : null
  // They have passwords, so without them everybody would get in.
  if (rules === null && isWithheld(manifest)) throw new Error(`The rules of ${deploymentId} are missing`)
  const site = new Site(record, manifest, isPreview, rules, answers)
  if (rules !== null) await site.indexRules(rules, source)
  return site
}

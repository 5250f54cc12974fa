import type { Manifest } from '../../deployments/manifest.ts'
import type { DomainRoute, HostRedirect, SiteRecord, SiteTarget } from '../../projects/site.ts'
import { Site } from '../assets/site.ts'
import type { CacheGeneration } from '../cache/invalidation.ts'
import { labelOf, type PublicHost } from './host.ts'
import { DomainRouteCache, SiteCache } from './site-cache.ts'
import type { SiteChange } from './site-change.ts'

export interface SiteSource {
  find(target: SiteTarget): Promise<SiteRecord | null>
  /** Only asked for records that have a deployment. */
  manifest(record: SiteRecord & { deploymentId: string }): Promise<Manifest>
  /** Where a custom domain leads; null where nobody has it, or it is not served. */
  route(hostname: string): Promise<DomainRoute | null>
}

/** What a host leads to: a site to show, or another host. */
export type SiteOrRedirect = Site | HostRedirect

const mostTries = 3

/** Host to place, from memory where it is warm. */
export class SiteRouter {
  readonly #sites: SiteCache
  readonly #routes: DomainRouteCache
  #standing: CacheGeneration = { isOver: false }

  constructor(source: SiteSource, onOutdated: (host: string, error: unknown) => void) {
    this.#sites = new SiteCache({
      load: (target) => loadSite(source, target),
      onOutdated: (target, error) => onOutdated(labelOf(target), error),
    })
    this.#routes = new DomainRouteCache({ load: (hostname) => source.route(hostname), onOutdated })
  }

  /** Without waiting: the place, null where there is none, undefined where it must be loaded first. */
  get(host: PublicHost): SiteOrRedirect | null | undefined {
    if (host.kind !== 'domain') return projectRedirectOr(host, this.#sites.get(host))
    const route = this.#routes.get(host.hostname)
    return route?.kind === 'site' ? this.#sites.get(liveSite(route.slug)) : route
  }

  load(host: PublicHost): Promise<SiteOrRedirect | null> {
    return host.kind === 'domain'
      ? this.#loadDomain(host.hostname, mostTries)
      : this.#sites.load(host).then((site) => projectRedirectOr(host, site) ?? null)
  }

  /** Whether it can be reached over HTTPS, as far as is known without waiting. */
  hasCertificate(host: PublicHost): boolean {
    return host.kind !== 'domain' || this.#routes.get(host.hostname)?.secured !== false
  }

  /** Of what is known about a host; null where it is to be loaded anew. */
  standing(host: PublicHost): CacheGeneration | null {
    return this.#isFresh(host) ? this.#standing : null
  }

  changed(change: SiteChange): void {
    this.#standing.isOver = true
    this.#standing = { isOver: false }
    this.#routes.changed(change)
    this.#sites.changed(change)
  }

  #isFresh(host: PublicHost): boolean {
    if (host.kind !== 'domain') return this.#sites.isFresh(host)
    const route = this.#routes.get(host.hostname)
    if (!route || !this.#routes.isFresh(host.hostname)) return false
    return route.kind !== 'site' || this.#sites.isFresh(liveSite(route.slug))
  }

  async #loadDomain(hostname: string, tries: number): Promise<SiteOrRedirect | null> {
    const known = this.#routes.get(hostname)
    const route = known === undefined ? await this.#routes.load(hostname) : known
    if (route?.kind !== 'site') return route
    const target = liveSite(route.slug)
    const site = this.#sites.get(target)
    if (site !== undefined) return site
    const loaded = await this.#sites.load(target)
    // The name may have been taken from the project while its site was loaded.
    if (this.#routes.holds(hostname, route)) return loaded
    if (tries > 1) return this.#loadDomain(hostname, tries - 1)
    throw new Error(`${hostname} changes faster than its site can be loaded`)
  }
}

function liveSite(slug: string): SiteTarget {
  return { kind: 'project', slug }
}

/** Only the default subdomain is led away by its project: a preview shows what is asked for. */
function projectRedirectOr(
  host: SiteTarget,
  site: Site | null | undefined,
): SiteOrRedirect | null | undefined {
  return host.kind === 'project' ? (site?.record.redirect ?? site) : site
}

async function loadSite(source: SiteSource, target: SiteTarget): Promise<Site | null> {
  const record = await source.find(target)
  if (record === null) return null
  const { deploymentId } = record
  const isShown = deploymentId !== null && !record.blocked
  const manifest = !isShown ? new Map() : await source.manifest({ ...record, deploymentId })
  return new Site(record, manifest, target.kind === 'preview')
}

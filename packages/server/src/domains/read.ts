import { domainStates, isPointedHere, isReached } from '@masthead/contract/domains/states.ts'
import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import type { Context, Reader } from '../database/database.ts'
import { findSite as findPlainSite } from '../deployments/read.ts'
import { hstsMaxAgeOf, readSiteLabel } from '../projects/read.ts'
import type { DomainRoute, HostRedirect, SiteRecord, SiteTarget, StrictTransport } from '../projects/site.ts'
import { defaultSubdomain, redirectOf, type StoredRedirect } from './config/domain-config.ts'
import { covers, findServed } from './config/served-name.ts'
import { findConfig, findHeldRoutes, parseRedirects } from './config/store.ts'
import { type DomainRow, isServing } from './domain.ts'
import { findHolder } from './store.ts'

type Reads = Pick<Context, 'database'>

interface Owner extends StrictTransport {
  projectId: string
  slug: string
}

/**
 * What a custom domain serves; null if nothing. One indexed lookup, however many domains there are, and one more for a
 * name that only a wildcard covers.
 */
export async function findRoute(
  { database }: Reads,
  hostname: string,
  platformDomain: string,
): Promise<DomainRoute | null> {
  const found = await findServed(database.read, hostname)
  if (found === null) return null
  const isExact = found.hostname === hostname
  const { slug, project_id: projectId } = found
  const owner = { projectId, slug, hstsMaxAge: hstsMaxAgeOf(found) }
  const redirect = redirectOf(parseRedirects(found.redirects), found.hostname)
  // A blocked site shows the notice on every name instead of redirecting.
  const isBlocked = found.takedown_at !== null || found.suspended_at !== null
  const leads = isBlocked ? null : await whereServed(database.read, redirect, owner, platformDomain)
  const { proxy } = found
  const own = {
    slug,
    ...(isSecured(found) ? {} : { secured: false }),
    ...(found.state === 'drifted' && { pointsHere: false }),
    ...(isExact ? {} : { wildcard: found.hostname }),
    ...(proxy !== null && { proxy }),
  }
  if (leads !== null) return { kind: 'redirect', ...own, ...leads }
  return found.branch === null ? { kind: 'site', ...own } : { kind: 'site', ...own, branch: found.branch }
}

/** The project that a host belongs to; null if there is none, or the DNS of a custom domain leads elsewhere. */
export async function findProjectAt(
  reads: Reads,
  hostname: string,
  platformDomain: string,
): Promise<string | null> {
  if (!hostname.endsWith(`.${platformDomain}`)) {
    const found = await findServed(reads.database.read, hostname)
    return found !== null && isPointedHere(found.state) ? found.project_id : null
  }
  const target = readSiteLabel(hostname.slice(0, -platformDomain.length - 1))
  const site = target === null ? null : await findPlainSite(reads, target)
  return site?.projectId ?? null
}

/** Whether the certificate of the wildcard over a name, if there is one, may be used for it: not if it is another account's. */
export async function mayWildcardCover({ database }: Reads, hostname: string): Promise<boolean> {
  const wildcard = wildcardOver(hostname)
  const over = wildcard === null ? undefined : await findHolder(database.read, wildcard)
  if (over === undefined) return true
  const exact = await findHolder(database.read, hostname)
  return exact?.account_id === over.account_id || covers(database.read, over, hostname, exact)
}

/** What a host under the platform domain serves. Previews never redirect. */
export async function findSite(
  reads: Reads,
  target: SiteTarget,
  platformDomain: string,
): Promise<SiteRecord | null> {
  const site = await findPlainSite(reads, target)
  if (site === null || site.blocked || target.kind !== 'project') return site
  const { redirects } = await findConfig(reads.database.read, site.projectId)
  const leads = await whereServed(reads.database.read, redirectOf(redirects, null), site, platformDomain)
  return { ...site, redirect: leads }
}

/** A redirect waits until its target is served. Until then the site itself is shown. */
async function whereServed(
  db: Reader,
  redirect: StoredRedirect | undefined,
  { projectId, slug, hstsMaxAge = null }: Owner,
  platformDomain: string,
): Promise<HostRedirect | null> {
  if (redirect === undefined) return null
  const { to, status } = redirect
  const strict = hstsMaxAge === null ? {} : { hstsMaxAge }
  if (to === null) return { to: defaultSubdomain({ slug }, { platformDomain }), status, ...strict }
  const [target] = await findHeldRoutes(db, [to])
  if (target?.project_id !== projectId || !isServing(target) || !isReached(target.state)) return null
  return isSecured(target) ? { to, status, ...strict } : { to, status, https: false, ...strict }
}

/** Whether HTTPS works: our test request saw the certificate. */
function isSecured({ state }: Pick<DomainRow, 'state'>): boolean {
  return domainStates[state].served === 'yes'
}

import type { Domain } from '../schemas/domains/domain.ts'

/** The wildcard that covers a name: the star replaces one label. Null right below a top-level domain. */
export function wildcardOver(name: string): string | null {
  const parent = name.slice(name.indexOf('.') + 1)
  return name.includes('.') && parent.includes('.') ? `*.${parent}` : null
}

/**
 * Which of these domains keeps links to a name working once it is no domain of its own. It has to be live: visitors need
 * its certificate, and its DNS record once that of the name is gone.
 */
export function coveringWildcard(
  hostname: string,
  domains: readonly Pick<Domain, 'hostname' | 'state'>[],
): string | null {
  const wildcard = wildcardOver(hostname)
  if (wildcard === null || wildcard === hostname) return null
  return domains.some((each) => each.hostname === wildcard && each.state === 'live') ? wildcard : null
}

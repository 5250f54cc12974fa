import { createHash } from 'node:crypto'
import type { RedirectStatus } from '@masthead/contract/project-settings.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import { isWildcard } from '../../dns/domain-name.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { Naming } from '../context.ts'

/** As stored. Null is the default subdomain, so that the configuration survives a change of the slug. */
export interface StoredConfig {
  primary: string | null
  redirects: readonly StoredRedirect[]
}

export interface StoredRedirect {
  from: string | null
  to: string | null
  status: RedirectStatus
}

/** As the API shows it, with all names written out. */
export type NamedConfig = DomainConfig['domains']

export interface ConfigIssue {
  path: string
  message: string
}

export const unconfigured: StoredConfig = { primary: null, redirects: [] }

/** Every project has this name under the platform domain. */
export function defaultSubdomain(
  { slug }: Pick<ProjectRow, 'slug'>,
  { platformDomain }: Pick<Naming, 'platformDomain'>,
): string {
  return `${slug}.${platformDomain}`
}

/** What is wrong with a configuration. A redirect must lead to a name that does not redirect: no loops, no chains. */
export function configIssues(
  { primary, redirects }: NamedConfig,
  { attached, defaultSubdomain }: { attached: ReadonlySet<string>; defaultSubdomain: string },
): ConfigIssue[] {
  const issues: ConfigIssue[] = []
  const redirecting = new Set(redirects.map(({ from }) => from))
  const seen = new Set<string>()

  function expectOwn(path: string, name: string): boolean {
    const own = name === defaultSubdomain || attached.has(name)
    if (!own) issues.push({ path, message: `${name.slice(0, 253)} is not a domain of this project` })
    return own
  }

  /** Visitors can be sent from any name below a wildcard, but not to all of them. */
  function expectOneName(path: string, name: string): void {
    if (isWildcard(name)) issues.push({ path, message: `${name} is a wildcard; use one name below it` })
  }

  if (expectOwn('domains.primary', primary)) expectOneName('domains.primary', primary)
  for (const [index, { from, to }] of redirects.entries()) {
    const path = { from: `domains.redirects.${index}.from`, to: `domains.redirects.${index}.to` }
    if (expectOwn(path.from, from)) {
      if (from === primary)
        issues.push({ path: path.from, message: `${from} is the primary domain, which must not redirect` })
      if (seen.has(from))
        issues.push({ path: path.from, message: `${from} already redirects in an earlier entry` })
    }
    seen.add(from)
    if (expectOwn(path.to, to)) {
      expectOneName(path.to, to)
      if (to === from) issues.push({ path: path.to, message: `${to} would redirect to itself` })
      else if (redirecting.has(to))
        issues.push({ path: path.to, message: `${to} redirects elsewhere; use its target instead` })
    }
  }
  return issues
}

export function toStored({ primary, redirects }: NamedConfig, defaultSubdomain: string): StoredConfig {
  const stored = (name: string) => (name === defaultSubdomain ? null : name)
  return {
    primary: stored(primary),
    redirects: redirects.map(({ from, to, status }) => ({ from: stored(from), to: stored(to), status })),
  }
}

export function toNamed({ primary, redirects }: StoredConfig, defaultSubdomain: string): NamedConfig {
  return {
    primary: primary ?? defaultSubdomain,
    redirects: redirects.map(({ from, to, status }) => ({
      from: from ?? defaultSubdomain,
      to: to ?? defaultSubdomain,
      status,
    })),
  }
}

/**
 * The configuration without a domain and the redirects from and to it. If it was the primary domain, the default
 * subdomain becomes primary and therefore no longer redirects.
 */
export function withoutDomain({ primary, redirects }: StoredConfig, hostname: string): StoredConfig {
  const left: StoredConfig['primary'] = primary === hostname ? null : primary
  const stays = ({ from, to }: StoredRedirect) => from !== hostname && to !== hostname && from !== left
  return { primary: left, redirects: redirects.filter(stays) }
}

/** The redirects that work while a domain is not served: a redirect waits until its target is up. */
export function withoutRedirectsTo({ primary, redirects }: StoredConfig, hostname: string): StoredConfig {
  return { primary, redirects: redirects.filter(({ to }) => to !== hostname) }
}

/** The names that redirect differently: only they look different to visitors. Null is the default subdomain. */
export function touchedNames(before: StoredConfig, after: StoredConfig): (string | null)[] {
  const names = new Set([...before.redirects, ...after.redirects].map(({ from }) => from))
  return [...names].filter((name) => {
    const was = redirectOf(before.redirects, name)
    const is = redirectOf(after.redirects, name)
    return was?.to !== is?.to || was?.status !== is?.status
  })
}

export function redirectOf(
  redirects: readonly StoredRedirect[],
  from: string | null,
): StoredRedirect | undefined {
  return redirects.find((redirect) => redirect.from === from)
}

/** The `ETag` of a configuration: equal configurations have equal tags. */
export function configTag({ primary, redirects }: NamedConfig): string {
  const content = [primary, ...redirects.flatMap(({ from, to, status }) => [from, to, status])]
  return `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`
}

/** Rejects a change that must not replace this configuration (RFC 9110, 13.1.2). */
export function refuseMatchingTag(ifNoneMatch: string | undefined, current: NamedConfig): void {
  if (ifNoneMatch === undefined) return
  const tag = configTag(current)
  if (!namesTag(ifNoneMatch, tag)) return
  const detail = 'The project has the configuration that If-None-Match excludes. Nothing was changed.'
  throw new Problem('domain_config_changed', detail, { headers: { ETag: tag } })
}

/** Rejects a change based on an outdated configuration, unless it would change nothing, as when it is repeated. */
export function requireMatchingTag(
  ifMatch: string | undefined,
  { current, wanted }: { current: NamedConfig; wanted: NamedConfig },
): void {
  if (ifMatch === undefined) return
  const tag = configTag(current)
  if (namesTag(ifMatch, tag) || tag === configTag(wanted)) return
  throw new Problem(
    'domain_config_changed',
    'The primary domain or the redirects changed in the meantime. Nothing was changed.',
    { headers: { ETag: tag } },
  )
}

/** A proxy that compresses responses marks tags as weak. */
function namesTag(header: string, tag: string): boolean {
  const named = header.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return named.includes('*') || named.includes(tag)
}

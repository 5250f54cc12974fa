import { createHash } from 'node:crypto'
import type { RedirectStatus } from '@masthead/contract/project-settings.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { Problem } from '../../kernel/problem.ts'

/** As it is stored. A name that is null is the default subdomain, so that a change of the slug is followed. */
export interface StoredConfig {
  primary: string | null
  redirects: readonly StoredRedirect[]
}

export interface StoredRedirect {
  from: string | null
  to: string | null
  status: RedirectStatus
}

/** As people see it: every name written out. */
export type NamedConfig = DomainConfig['domains']

export interface ConfigIssue {
  path: string
  message: string
}

export const unconfigured: StoredConfig = { primary: null, redirects: [] }

/**
 * What keeps a configuration from being accepted. A redirect leads only to a name that does not redirect, so there
 * are neither loops nor chains.
 */
export function configIssues(
  { primary, redirects }: NamedConfig,
  { attached, defaultSubdomain }: { attached: ReadonlySet<string>; defaultSubdomain: string },
): ConfigIssue[] {
  const faults: ConfigIssue[] = []
  const redirecting = new Set(redirects.map(({ from }) => from))
  const seen = new Set<string>()

  function expectOwn(path: string, name: string): boolean {
    const own = name === defaultSubdomain || attached.has(name)
    if (!own) faults.push({ path, message: `${name.slice(0, 253)} is not a domain of this project` })
    return own
  }

  expectOwn('domains.primary', primary)
  for (const [index, { from, to }] of redirects.entries()) {
    const path = { from: `domains.redirects.${index}.from`, to: `domains.redirects.${index}.to` }
    if (expectOwn(path.from, from)) {
      if (from === primary)
        faults.push({ path: path.from, message: `${from} is the primary domain, which does not redirect` })
      if (seen.has(from))
        faults.push({ path: path.from, message: `${from} redirects in an earlier entry already` })
    }
    seen.add(from)
    if (expectOwn(path.to, to)) {
      if (to === from) faults.push({ path: path.to, message: `${to} would redirect to itself` })
      else if (redirecting.has(to))
        faults.push({ path: path.to, message: `${to} redirects itself; name the domain where it ends` })
    }
  }
  return faults
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
 * What is left once a domain is gone: the default subdomain takes its place as the primary one, and so does not
 * redirect any more. `dropped` are the redirects of other names that go with it.
 */
export function withoutDomain(
  { primary, redirects }: StoredConfig,
  hostname: string,
): { config: StoredConfig; dropped: StoredRedirect[] } {
  const left: StoredConfig['primary'] = primary === hostname ? null : primary
  const stays = ({ from, to }: StoredRedirect) => from !== hostname && to !== hostname && from !== left
  const dropped = redirects.filter((redirect) => redirect.from !== hostname && !stays(redirect))
  return { config: { primary: left, redirects: redirects.filter(stays) }, dropped }
}

/** Where a name leads, if anywhere. */
export function redirectOf(
  redirects: readonly StoredRedirect[],
  from: string | null,
): StoredRedirect | undefined {
  return redirects.find((redirect) => redirect.from === from)
}

/** Stands for a configuration in `ETag` and `If-Match`: the same configuration has the same one. */
export function configTag({ primary, redirects }: NamedConfig): string {
  const content = [primary, ...redirects.flatMap(({ from, to, status }) => [from, to, status])]
  return `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`
}

/** Refuses a change that was decided on by what is no longer so. One that was made already may be asked for again. */
export function requireMatchingTag(
  ifMatch: string | undefined,
  { current, wanted }: { current: NamedConfig; wanted: NamedConfig },
): void {
  if (ifMatch === undefined) return
  const tag = configTag(current)
  // A proxy that compresses marks tags as weak; what they stand for stays the same.
  const named = ifMatch.split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (named.includes('*') || named.includes(tag) || tag === configTag(wanted)) return
  throw new Problem(
    'domain_config_changed',
    'The primary domain or the redirects changed in the meantime. Nothing was changed.',
    { headers: { ETag: tag } },
  )
}
